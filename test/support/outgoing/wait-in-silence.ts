import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { StopSwitch } from '../../../src/http-out/stop-switch.ts'
import { answerOk, startRawUpstream } from './start-raw-upstream.ts'

/*
 * Runs in its own process, with a low limit of the runtime for silent connections. Two requests wait for an upstream
 * that sends nothing. After the runtime has timed out its own request, the gateway's request is answered.
 */
const silent = await startRawUpstream(() => undefined)
const url = `http://127.0.0.1:${silent.port}/`
const stop = new StopSwitch()
const ours = createSendHttp()({ url, headers: new Headers(), body: 'ours', stop }).then(
  ({ status }) => String(status),
  String,
)
const theirs = await fetch(url, { method: 'POST', body: 'theirs' }).then(
  () => 'answered',
  () => 'given up',
)
for (const { body, socket } of silent.arrivals) if (body === 'ours') socket.write(answerOk)
process.stdout.write(`${theirs}, ${await ours}\n`)
process.exit(0)
