/**
 * One real Kafka broker on this machine, from the jars of its release, without containers: for tests,
 * and for trying the distributed deployment on a laptop with Java and Maven.
 *
 *   node libs/tooling/src/kafka-broker.mjs check            fetches the jars when they are missing; is Redis there?
 *   node libs/tooling/src/kafka-broker.mjs start PORT DIR   starts it with its data in DIR, and waits for it
 *   node libs/tooling/src/kafka-broker.mjs stop DIR         ends it in order
 *   node libs/tooling/src/kafka-broker.mjs kill DIR         ends it at once; start brings it back
 *
 * It listens on 127.0.0.1, on PORT and the two ports behind it. Clients that come in through PORT + 2
 * are redirected to PORT + 3, where a test may stand in between. On PORT + 4 they have to
 * log in (SASL PLAIN) as causeway with the password causeway.
 * Exits with 3, and a sentence, where there is no Java, no Maven or (check) no redis-server.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync } from 'node:fs'
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const version = '4.4.0'
const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
const jars = join(cache, `kafka-${version}`)
const start_ms_max = 180_000
const stop_ms_max = 30_000

const exit_code_refused = 1
const exit_code_usage = 2
const exit_code_missing = 3

/** A jar that the release names is not published, and without the logger it logs nothing at all. */
const pom = `<project><modelVersion>4.0.0</modelVersion>
<groupId>causeway</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version>
<exclusions><exclusion><groupId>org.apache.kafka</groupId><artifactId>kafka-tools-api</artifactId></exclusion></exclusions></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
`

/**
 * With a key and certificates (broker.pem, ca.pem) beside its data it also listens on PORT + 5, over TLS
 * alone: who comes there is the common name of a certificate and may do what its access rules say. Who
 * comes in otherwise, and the user provisioner, may do everything.
 */
function secured(port, folder) {
  if (!existsSync(join(folder, 'broker.pem'))) return { listener: '', protocol: '', more: '' }
  return {
    listener: `,SECURE://127.0.0.1:${port + 5}`,
    protocol: ',SECURE:SSL',
    more: `listener.name.secure.ssl.client.auth=required
listener.name.secure.ssl.keystore.type=PEM
listener.name.secure.ssl.keystore.location=${join(folder, 'broker.pem')}
listener.name.secure.ssl.truststore.type=PEM
listener.name.secure.ssl.truststore.location=${join(folder, 'ca.pem')}
listener.name.secure.ssl.principal.mapping.rules=RULE:^.*CN=([^,]+).*$/$1/,DEFAULT
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:causeway;User:provisioner
`,
  }
}

/** A killed broker may come back when its session has ended; groups may be as impatient as a test. */
function properties(port, folder) {
  const { listener, protocol, more } = secured(port, folder)
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${port + 1}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${port + 1},BETWEEN://127.0.0.1:${port + 2},LOGIN://127.0.0.1:${port + 4}${listener}
advertised.listeners=PLAINTEXT://127.0.0.1:${port},BETWEEN://127.0.0.1:${port + 3},LOGIN://127.0.0.1:${port + 4}${listener}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,BETWEEN:PLAINTEXT,LOGIN:SASL_PLAINTEXT${protocol}
sasl.enabled.mechanisms=PLAIN
listener.name.login.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_causeway="causeway";
log.dirs=${join(folder, 'data')}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
offsets.retention.check.interval.ms=2000
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
log.cleaner.dedupe.buffer.size=10485760
${more}`
}

function fail(code, sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(code)
}

function has(command, argument) {
  return spawnSync(command, [argument], { stdio: 'ignore' }).status === 0
}

/** The tests start and stop a Redis beside the broker. */
function checkAll() {
  check()
  if (has('redis-server', '--version')) return
  fail(exit_code_missing, 'There is no redis-server on this machine, and some tests need one.')
}

function check() {
  if (!has('java', '-version')) {
    fail(
      exit_code_missing,
      'There is no java on this machine, and the Kafka broker needs one (17 or later).',
    )
  }
  if (existsSync(jars)) return
  if (!has('mvn', '-version')) {
    fail(
      exit_code_missing,
      'There is no mvn (Maven) on this machine, and the jars of Kafka come with it.',
    )
  }
  process.stderr.write(`Fetching Kafka ${version}, about 45 MB, once.\n`)
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'kafka-part-'))
  writeFileSync(join(folder, 'pom.xml'), pom)
  const target = join(folder, 'jars')
  const goal = [
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${target}`,
  ]
  const { status } = spawnSync(
    'mvn',
    ['-q', '-B', '-ntp', '-f', join(folder, 'pom.xml'), ...goal],
    {
      stdio: ['ignore', 2, 2],
    },
  )
  const isThere = status === 0 && readdirSync(target).some((name) => name.startsWith('kafka_2.13-'))
  if (isThere && !existsSync(jars)) renameSync(target, jars)
  rmSync(folder, { recursive: true, force: true })
  if (!isThere) fail(exit_code_missing, 'Maven did not get the jars of Kafka: is there a network?')
}

const java = (...rest) => [
  '-Xms128m',
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-cp',
  join(jars, '*'),
  ...rest,
]

function processOf(folder) {
  try {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    process.kill(pid, 0)
    return pid
  } catch {
    return undefined
  }
}

async function start(port, folder) {
  check()
  if (processOf(folder) !== undefined)
    fail(exit_code_refused, `A broker of ${folder} runs already.`)
  mkdirSync(folder, { recursive: true })
  const settings = join(folder, 'server.properties')
  writeFileSync(settings, properties(port, folder))
  if (!existsSync(join(folder, 'data', 'meta.properties'))) {
    const id = 'causewayAAAAAAAAAAAAAA'
    const tool = ['kafka.tools.StorageTool', 'format', '-t', id, '-c', settings]
    const formatted = spawnSync('java', java('-XX:TieredStopAtLevel=1', ...tool), {
      encoding: 'utf8',
    })
    if (formatted.status !== 0) fail(exit_code_refused, `${formatted.stdout}${formatted.stderr}`)
  }
  const log = openSync(join(folder, 'kafka.log'), 'a')
  const broker = spawn('java', java('kafka.Kafka', settings), {
    detached: true,
    stdio: ['ignore', log, log],
  })
  broker.unref()
  closeSync(log)
  writeFileSync(join(folder, 'pid'), String(broker.pid))
  for (const deadline = Date.now() + start_ms_max; Date.now() < deadline; await wait(50)) {
    if (await answers(port)) return
    if (broker.exitCode !== null || broker.signalCode !== null) break
  }
  process.stderr.write(readFileSync(join(folder, 'kafka.log'), 'utf8').slice(-4_000))
  fail(exit_code_refused, `The Kafka broker of ${folder} did not start.`)
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (answered) => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}

async function end(folder, signal) {
  const pid = processOf(folder)
  if (pid === undefined) return
  process.kill(pid, signal)
  for (const deadline = Date.now() + stop_ms_max; Date.now() < deadline; await wait(20)) {
    if (processOf(folder) === undefined) return
  }
  fail(exit_code_refused, `The Kafka broker of ${folder}, process ${pid}, does not end.`)
}

const [command = '', first = '', second = ''] = process.argv.slice(2)
const port = Number(first)
const ofPort = join(tmpdir(), `causeway-kafka-${first}`)
if (command === 'check') checkAll()
else if (command === 'start' && port > 0) await start(port, second === '' ? ofPort : second)
else if (command === 'stop' && first !== '') await end(first, 'SIGTERM')
else if (command === 'kill' && first !== '') await end(first, 'SIGKILL')
else fail(exit_code_usage, 'usage: kafka-broker.mjs check | start PORT [DIR] | stop DIR | kill DIR')
