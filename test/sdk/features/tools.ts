import { describe, expect, test } from 'bun:test'
import { testProtocols } from '../../support/protocols/test-protocols.ts'
import { ask, type Fixture } from '../fixture.ts'
import { type Answer, answers, oslo, rome, type Script, textOf } from '../scripts/answer.ts'
import { scripts } from '../scripts/scripts.ts'
import type { Heard, Sdk } from '../sdk.ts'

/** Calls, and the next request with their results. */
export function testTools(fixture: Fixture): void {
  const { sdk, sent } = fixture

  describe.each(scripts)('over $protocol', (script) => {
    test.each(['must', 'never', 'get_weather'] as const)('the choice: %s', async (choice) => {
      fixture.say(script, choice === 'never' ? answers.text : answers.call)
      const heard = await fixture.connect().ask(ask(script, { hasTools: true, choice }))
      expect(heard.calls).toEqual(choice === 'never' ? [] : [rome])
      expect(script.readChoice(sent(1))).toBe(choice)
    })

    describe.each([{ how: 'whole' }, { how: 'streamed' }] as const)('$how', ({ how }) => {
      test('a call and its result', async () => {
        const called = await hearCalls(fixture, script, how, answers.call)
        expect(called.calls).toEqual([rome])
        expect(called.text).toBe('')
        expect(called.finish).toBe(sdk.finishes.calls)
        expect(script.readTools(sent(1))).toEqual([rome.name])
        const heard = await called.goOn(['sunny'])
        expect(heard.text).toBe(textOf(answers.text))
        expect(heard.finish).toBe(sdk.finishes.stop)
        expect(script.readCalls(sent(2))).toEqual([{ ...rome, result: 'sunny' }])
      })

      test('two calls of one function at once', async () => {
        const called = await hearCalls(fixture, script, how, answers.parallel)
        expect(called.calls).toEqual([rome, oslo])
        const heard = await called.goOn(['sunny', 'snow'])
        expect(heard.text).toBe(textOf(answers.text))
        expect(script.readCalls(sent(2))).toEqual([
          { ...rome, result: 'sunny' },
          { ...oslo, result: 'snow' },
        ])
      })

      test('a call after reasoning', async () => {
        const called = await hearCalls(fixture, script, how, answers.thoughtAndCall)
        expect(called.calls).toEqual([rome])
        const heard = await called.goOn(['sunny'])
        expect(heard.text).toBe(textOf(answers.text))
        expect(script.readCalls(sent(2))).toEqual([{ ...rome, result: 'sunny' }])
        const tokens = testProtocols[script.protocol].upstream.tokensOf(sent(2))
        const { token } = answers.thoughtAndCall.thought
        expect(tokens).toEqual(isReturned(sdk, script) ? [token] : [])
      })
    })
  })
}

/** An unknown chat server gets only the reasoning that its own clients send. */
function isReturned(sdk: Sdk, { protocol }: Script): boolean {
  if (protocol === 'chat-completions' && sdk.protocol !== protocol) return false
  return sdk.returnsToken?.(protocol) ?? true
}

function hearCalls(
  { connect, say, sayStreamed }: Fixture,
  script: Script,
  how: 'whole' | 'streamed',
  answer: Answer,
): Promise<Heard> {
  const tell = how === 'whole' ? say : sayStreamed
  tell(script, answer)
  tell(script, answers.text)
  const question = ask(script, { hasTools: true, thinks: answer.thought !== undefined })
  return how === 'whole' ? connect().ask(question) : connect().stream(question)
}
