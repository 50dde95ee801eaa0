import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { StopSwitch } from '../../../src/http-out/stop-switch.ts'
import { answerOk, startRawUpstream } from './start-raw-upstream.ts'

/*
 * Run as a process of its own, with the runtime's limit for silent connections set low. Two requests wait for an
 * upstream that says nothing: when the runtime has given up on its own one, the gateway's is answered.
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
