import { parseJson } from '../../src/wire/json.ts'
import type { EventsBehaviour } from '../support/fake-upstream/behaviour.ts'
import type { TestGateway } from '../support/gateway/start-gateway.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import type { Answer, Script } from './scripts/answer.ts'

/** A gateway with a scripted upstream. */
export interface ScriptedGateway {
  gateway(): TestGateway
  /** Sets the upstream's next answer, not streamed. */
  say(script: Script, answer: Answer): void
  /** Sets the upstream's next answer, streamed. */
  sayStreamed(script: Script, answer: Answer, more?: Partial<EventsBehaviour>): void
  /** The body of request number `count` (from 1) as the upstream received it. */
  sent(count: number): unknown
}

export function withScriptedGateway(): ScriptedGateway {
  const gateway = withGateway()
  return {
    gateway,
    say: (script, answer) =>
      gateway().one.script('next', { kind: 'reply', body: script.whole(answer) }),
    sayStreamed: (script, answer, more = {}) =>
      gateway().one.script('next', {
        kind: 'events',
        events: script.frames(answer),
        end: 'clean',
        ...more,
      }),
    sent: (count) => {
      const request = gateway().one.requests[count - 1]
      if (!request) throw new Error(`the upstream did not get ${count} requests`)
      return parseJson(request.body)
    },
  }
}
