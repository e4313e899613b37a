/** The cost of a message in or out over mutual TLS on a connection that stays open. */
import { issueClientCertificate, issueServerCertificate, makeCa } from '@causeway/pki'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { costOf, ownCpu_us, type Pacing } from './measure.ts'

const connections = 16
const day_ms = 86_400_000
/** An idle connection is not closed. */
const idle_ms_max = 60_000
/** About as long as POST /transfers. */
export const body = JSON.stringify({ text: 'x'.repeat(1_200) })

export interface HttpCosts {
  readonly in_us: number
  readonly out_us: number
}

export async function httpCosts(pacing: Pacing): Promise<HttpCosts> {
  const validity = { from: new Date(Date.now() - day_ms), to: new Date(Date.now() + day_ms) }
  const subject = (commonName: string) => ({ commonName, organization: undefined })
  const ca = makeCa({ subject: subject('Bench CA'), validity })
  const names = { dns: ['localhost'], ip: [] }
  const own = issueServerCertificate(ca, { subject: subject('localhost'), names, validity })
  const client = issueClientCertificate(ca, { subject: subject('bench'), validity })
  const server = fork(fileURLToPath(new URL('./https-server.js', import.meta.url)))
  const nextReport = async () => Number((await once(server, 'message'))[0])
  server.send({ ca: ca.certificate, cert: own.certificate, key: own.key })
  const pool = new Pool(`https://localhost:${await nextReport()}`, {
    connections,
    keepAliveTimeout: idle_ms_max,
    connect: { ca: ca.certificate, cert: client.certificate, key: client.key },
  })
  const one = async () => {
    const answer = await pool.request({ method: 'POST', path: '/', body })
    await answer.body.dump()
  }
  const work = { one, at_once: connections }
  const serverCpu_us = () => {
    const answer = nextReport()
    server.send('CPU')
    return answer
  }
  try {
    return {
      in_us: await costOf(work, serverCpu_us, pacing),
      out_us: await costOf(work, ownCpu_us, pacing),
    }
  } finally {
    await pool.destroy()
    server.disconnect()
  }
}
