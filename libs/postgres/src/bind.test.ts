import { Writable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { bind, large_bytes_min, type Parameter } from './bind.ts'

/** The writes of one message. */
function written(name: string, parameters: readonly Parameter[]): readonly Buffer[] {
  const writes: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk)
      done()
    },
  })
  bind(stream, name, parameters)
  return writes
}

/** Characters as the bytes of a message. */
const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')

describe('A statement with a large parameter:', () => {
  test('The message has the form that PostgreSQL defines, with a null and characters of two bytes', () => {
    const large = Buffer.alloc(large_bytes_min, 'x')
    const small = Buffer.from([0xff])
    const message = Buffer.concat(written('find', ['é', null, large, '', small]))
    const size = Buffer.alloc(4)
    size.writeInt32BE(message.length - 1)
    expect(message).toEqual(
      Buffer.concat([
        bytes('B'),
        size,
        bytes('\x00find\x00'),
        bytes('\x00\x05'),
        bytes('\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01'),
        bytes('\x00\x05'),
        bytes('\x00\x00\x00\x02'),
        Buffer.from('é'),
        bytes('\xff\xff\xff\xff'),
        bytes('\x00\x00\x80\x00'),
        large,
        bytes('\x00\x00\x00\x00'),
        bytes('\x00\x00\x00\x01\xff'),
        bytes('\x00\x00'),
      ]),
    )
  })

  test('Large parameters are written as they are, small ones are copied', () => {
    const first = Buffer.alloc(large_bytes_min)
    const second = Buffer.alloc(3 * large_bytes_min)
    const small = Buffer.alloc(large_bytes_min - 1)
    const writes = written('', [first, 'between', small, second])
    expect(writes).toHaveLength(5)
    expect(writes[1]).toBe(first)
    expect(writes[3]).toBe(second)
    expect(writes).not.toContain(small)
  })
})
