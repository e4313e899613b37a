/**
 * The FSP as a server: acknowledgements, and versions that a client may ask for. A refusal names its
 * reason by status and code.
 */
import { randomUUID } from 'node:crypto'
import type { Case } from '../case.ts'
import { askForQuote, newQuote, partyPath, route, termsOf } from '../counterparts/payer.ts'
import { describeAnswer } from '../kit.ts'
import { jsonIn } from '../peer.ts'
import { at, ensure, expectRefusal } from '../read.ts'

const role = 'payee' as const

const typeOf = (resource: string, version: string) =>
  `application/vnd.interoperability.${resource}+json;version=${version}`

const acknowledgements: readonly Case[] = [
  {
    id: 'server-202',
    title: 'A request is answered with 202 and without a body, with the media type of the resource',
    role,
    section: 'FSPIOP 3.2.1.2, 3.2.4',
    async run(kit) {
      const answer = await kit.sendExpecting(202, {
        method: 'POST',
        path: '/quotes',
        ...route(kit),
        body: newQuote(kit),
      })
      ensure(answer.body.length === 0, 'no body', describeAnswer(answer))
      const type = String(answer.headers['content-type'])
      ensure(
        type.startsWith('application/vnd.interoperability.quotes+json'),
        'Content-Type application/vnd.interoperability.quotes+json',
        type,
      )
    },
  },
  {
    id: 'server-200',
    title: 'A callback is answered with 200, also one that the FSP does not wait for',
    role,
    section: 'FSPIOP 3.2.4',
    async run(kit) {
      const path = `/quotes/${randomUUID()}/error`
      const errorInformation = { errorCode: '3205', errorDescription: 'Quote ID not found' }
      await kit.sendExpecting(200, {
        method: 'PUT',
        path,
        ...route(kit),
        body: { errorInformation },
      })
    },
  },
  {
    id: 'server-query',
    title: 'A query that the API does not define is ignored',
    role,
    section: 'FSPIOP 3.1.3.4, 3.3.2',
    async run(kit) {
      const request = newQuote(kit)
      await askForQuote(kit, request, { path: '/quotes?certification=1' })
      await termsOf(kit, request)
    },
  },
  {
    id: 'server-unknown-path',
    title: 'An unknown path is answered with 404',
    role,
    section: 'FSPIOP 3.2.4',
    async run(kit) {
      const headers = {
        accept: typeOf('quotes', '1.1'),
        'content-type': typeOf('quotes', '1.1'),
      }
      await kit.sendExpecting(404, {
        method: 'GET',
        path: '/certification/unknown',
        version: '1.0',
        headers,
        ...route(kit),
      })
    },
  },
  {
    id: 'server-unknown-method',
    title: 'A method that a path does not have is answered with 405',
    role,
    section: 'FSPIOP 3.2.4',
    async run(kit) {
      const path = `/quotes/${randomUUID()}`
      await kit.sendExpecting(405, { method: 'DELETE', path, ...route(kit) })
    },
  },
]

const versions: readonly Case[] = [
  {
    id: 'version-unsupported',
    title:
      'A request for an unsupported version is answered with 406, 3001 and the supported versions',
    role,
    section: 'FSPIOP 3.3.4.3',
    async run(kit) {
      const answer = await kit.send({
        method: 'GET',
        path: partyPath(kit),
        ...route(kit),
        headers: { accept: typeOf('parties', '9.9') },
      })
      expectRefusal(answer, 406, ['3001'])
      const list = at(
        jsonIn(answer?.body ?? Buffer.alloc(0)),
        'errorInformation',
        'extensionList',
        'extension',
      )
      ensure(
        Array.isArray(list) && list.some((each) => at(each, 'key') === '1'),
        'an extensionList with the supported versions, major as key and minor as value',
        describeAnswer(answer),
      )
    },
  },
  {
    id: 'version-major',
    title: 'A request for a major version alone is accepted',
    role,
    section: 'FSPIOP 3.3.4.1',
    async run(kit) {
      const accept = typeOf('quotes', '1')
      const request = newQuote(kit)
      await askForQuote(kit, request, { headers: { accept } })
      await termsOf(kit, request)
    },
  },
  {
    id: 'version-list',
    title: 'Of several versions the first one that is supported is taken',
    role,
    section: 'FSPIOP 3.3.4.1',
    async run(kit) {
      const accept = `${typeOf('quotes', '9')}, ${typeOf('quotes', '1')}`
      const request = newQuote(kit)
      await askForQuote(kit, request, { headers: { accept } })
      await termsOf(kit, request)
    },
  },
  {
    id: 'version-of-callback',
    title: 'A callback has the version that the client asked for',
    role,
    section: 'FSPIOP 3.3.4.2',
    async run(kit) {
      const request = newQuote(kit)
      await askForQuote(kit, request, { version: '1.0' })
      const { message } = await termsOf(kit, request)
      const type = String(message.headers['content-type'])
      ensure(type.endsWith('version=1.0'), typeOf('quotes', '1.0'), type)
    },
  },
  {
    id: 'version-accept-missing',
    title: 'A request without Accept is answered with 400 and 3102',
    role,
    section: 'FSPIOP 3.2.1.1',
    async run(kit) {
      const answer = await kit.send({
        method: 'GET',
        path: partyPath(kit),
        ...route(kit),
        headers: { accept: undefined },
      })
      expectRefusal(answer, 400, ['3102'])
    },
  },
  {
    id: 'version-accept-on-put',
    title: 'A callback needs no Accept, and one that is there changes nothing',
    role,
    section: 'FSPIOP 3.2.1.1',
    async run(kit) {
      const errorInformation = { errorCode: '3205', errorDescription: 'Quote ID not found' }
      await kit.sendExpecting(200, {
        method: 'PUT',
        path: `/quotes/${randomUUID()}/error`,
        ...route(kit),
        headers: { accept: '*/*' },
        body: { errorInformation },
      })
    },
  },
]

export const server: readonly Case[] = [...acknowledgements, ...versions]
