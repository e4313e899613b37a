/** Replaces the socket file of a killed process, so that it does not prevent the next start. */
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { StartError } from '@causeway/process'

/** Removes the socket file, unless a process listens on it: then StartError. */
export async function freeSocket(path: string): Promise<void> {
  if (await isListenedOn(path))
    throw new StartError(`The socket ${path} is in use by another running process.`)
  await rm(path, { force: true })
}

function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
