import { describe, expect, test } from '@jest/globals'
import { readTrace, signsTrace } from './trace.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

describe('a trace', () => {
  test('A trace is read with and without its state', () => {
    const tracestate = 'congo=t61rcWkgMzE, tenant@rojo=00f067aa0ba902b7'
    expect(readTrace({ traceparent })).toEqual({ traceparent })
    expect(readTrace({ traceparent, tracestate })).toEqual({ traceparent, tracestate })
  })

  test.each([
    undefined,
    '',
    'junk',
    traceparent.toUpperCase(),
    traceparent.replace('00-', '01-'),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
    `${traceparent}-more`,
    [traceparent, traceparent],
  ])('A trace of a wrong form, %j, is ignored, and its state with it', (wrong) => {
    expect(readTrace({ traceparent: wrong, tracestate: 'a=b' })).toBeUndefined()
  })

  const members = (count: number) =>
    Array.from({ length: count }, (_, index) => `k${index}=v`).join(',')

  test.each([[members(32)], [`a=${'x'.repeat(256)},b=${'x'.repeat(251)}`]])(
    'A trace may have the state %s',
    (tracestate) => {
      expect(readTrace({ traceparent, tracestate })).toEqual({ traceparent, tracestate })
    },
  )

  test.each([
    '',
    'junk',
    'a=',
    '=b',
    'A=b',
    'a=b=c',
    'a=b,,c=d',
    members(33),
    `a=${'x'.repeat(256)},b=${'x'.repeat(252)}`,
  ])('A trace goes on without the state %s', (tracestate) => {
    expect(readTrace({ traceparent, tracestate })).toEqual({ traceparent })
  })
})

describe('the signature of a message', () => {
  const signed = (covered: object) => ({
    'fspiop-signature': JSON.stringify({
      signature: 'c2lnbmF0dXJl',
      protectedHeader: Buffer.from(JSON.stringify(covered)).toString('base64url'),
    }),
  })

  test.each(['traceparent', 'Traceparent', 'tracestate'])(
    'The signature of a message may cover %s',
    (name) => {
      expect(signsTrace(signed({ alg: 'RS256', 'FSPIOP-URI': '/quotes', [name]: 'x' }))).toBe(true)
    },
  )

  test('The signature of a message mostly does not cover the trace', () => {
    expect(signsTrace(signed({ alg: 'RS256', 'FSPIOP-URI': '/traceparent' }))).toBe(false)
  })

  test.each([{}, { 'fspiop-signature': 'junk' }, { 'fspiop-signature': '{}' }])(
    'A text that is no signature covers nothing: %j',
    (headers) => {
      expect(signsTrace(headers)).toBe(false)
    },
  )
})
