import { StartError } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { targetOf } from './target.ts'

test.each([
  ['unix:/run/grpc.sock', 'unix:/run/grpc.sock'],
  ['transfers.hub.svc:4200', 'dns:///transfers.hub.svc:4200'],
  ['127.0.0.1:4200', 'dns:///127.0.0.1:4200'],
  ['[::1]:4200', 'dns:///[::1]:4200'],
  ['10.0.0.1:4200, 10.0.0.2:4200', 'ipv4:10.0.0.1:4200,10.0.0.2:4200'],
])('%s is reached as %s', (address, target) => {
  expect(targetOf(address)).toBe(target)
})

test.each([
  ['transfers', "'transfers' is not"],
  ['https://transfers:4200', 'is not'],
  ['', "'' is not"],
  ['10.0.0.1:4200,transfers:4200', "'transfers:4200' is none"],
])('The gRPC address %j is refused', (address, sentence) => {
  expect(() => targetOf(address)).toThrow(StartError)
  expect(() => targetOf(address)).toThrow(sentence)
})
