/**
 * The cost of a gRPC call between two services with a batch, both sides, over the hub's own socket.
 */
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type MethodDefinition,
  type sendUnaryData,
  type ServerUnaryCall,
} from '@grpc/grpc-js'
import { join } from 'node:path'
import { body } from './http.ts'
import { costOf, ownCpu_us } from './measure.ts'

const at_once = 2
const asIs = (bytes: Buffer) => bytes
const method: MethodDefinition<Buffer, Buffer> = {
  path: '/bench.Parts/Batch',
  requestStream: false,
  responseStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
}

/** Microseconds of a call with that number of messages. */
export async function grpcCost(folder: string, messages: number): Promise<number> {
  const address = `unix:${join(folder, 'parts.sock')}`
  const server = new Server()
  server.addService(
    { Batch: method },
    {
      Batch: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) =>
        answer(null, call.request),
    },
  )
  await new Promise<void>((resolve, reject) => {
    const listening = (error: Error | null) => (error === null ? resolve() : reject(error))
    server.bindAsync(address, ServerCredentials.createInsecure(), listening)
  })
  const client = new Client(address, credentials.createInsecure())
  const batch = Buffer.from(body.repeat(messages))
  const one = () =>
    new Promise<void>((resolve, reject) => {
      client.makeUnaryRequest(method.path, asIs, asIs, batch, (error) =>
        error === null ? resolve() : reject(error),
      )
    })
  try {
    return await costOf({ one, at_once }, ownCpu_us, { type: 'BUSY' })
  } finally {
    client.close()
    server.forceShutdown()
  }
}
