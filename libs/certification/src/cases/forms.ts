/** The cases about the form of messages: acknowledgements, versions, bodies, signatures, encryption. */
import type { Case } from '../case.ts'
import { bodies } from './bodies.ts'
import { encryption } from './encryption.ts'
import { server } from './server.ts'
import { signatures } from './signatures.ts'

export const forms: readonly Case[] = [...server, ...bodies, ...signatures, ...encryption]
