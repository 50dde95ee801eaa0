import { describe, expect, test } from 'bun:test'
import { testProtocols } from '../../support/protocols/test-protocols.ts'
import { ask, type Fixture, prompt } from '../fixture.ts'
import { answers, textOf } from '../scripts/answer.ts'
import { scripts } from '../scripts/scripts.ts'
import { outputTokensMax } from '../sdk.ts'
import { stepByStep } from '../step-by-step.ts'

const system = 'You are a weather service.'
const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

/** Text, finish reasons, reasoning and usage. */
export function testAnswers(fixture: Fixture): void {
  const { sdk, connect, say, sayStreamed, sent } = fixture
  const { finishes, usage } = sdk

  describe.each(scripts)('over $protocol', (script) => {
    test('text', async () => {
      say(script, answers.text)
      const heard = await connect().ask(ask(script, { system }))
      expect(heard).toMatchObject({ text: textOf(answers.text), calls: [], refusal: '' })
      expect(heard.finish).toBe(finishes.stop)
      expect(heard.usage).toMatchObject(usage)
      expect(heard.requestId).toMatch(requestId)
      expect(testProtocols[script.protocol].upstream.promptOf(sent(1))).toBe(prompt)
      expect(script.readSystem(sent(1))).toBe(system)
      expect(script.readLimit(sent(1))).toBe(outputTokensMax)
    })

    test('text, streamed in pieces', async () => {
      const { gates, heard, onText } = stepByStep(script, answers.text)
      sayStreamed(script, answers.text, { gates })
      const whole = await connect().stream(ask(script), { onText })
      expect(heard).toEqual(answers.text.pieces)
      expect(whole).toMatchObject({ text: textOf(answers.text), calls: [], refusal: '' })
      expect(whole.finish).toBe(finishes.stop)
      expect(whole.usage).toMatchObject(usage)
    })

    test.each([{ thinks: false }, { thinks: true }])(
      'a conversation, reasoning $thinks',
      async ({ thinks }) => {
        const answer = thinks ? answers.thought : answers.text
        say(script, answer)
        say(script, answer)
        sayStreamed(script, answer)
        sayStreamed(script, answer)
        const question = ask(script, { thinks })
        const whole = await connect().ask(question)
        expect((await whole.askMore('And tomorrow?')).text).toBe(textOf(answer))
        const streamed = await connect().stream(question)
        expect((await streamed.askMore('And tomorrow?')).text).toBe(textOf(answer))
        const said = answer.pieces[0] ?? ''
        for (const body of [2, 4].map((count) => JSON.stringify(sent(count)))) {
          expect(body.split(said)).toHaveLength(2)
          expect(body.indexOf(prompt)).toBeLessThan(body.indexOf(said))
          expect(body.indexOf('And tomorrow?')).toBeGreaterThan(body.indexOf(said))
        }
      },
    )

    test('text truncated by the output limit', async () => {
      say(script, answers.cutShort)
      sayStreamed(script, answers.cutShort)
      const whole = await connect().ask(ask(script))
      const streamed = await connect().stream(ask(script))
      for (const heard of [whole, streamed]) {
        expect(heard.text).toBe(textOf(answers.cutShort))
        expect(heard.finish).toBe(finishes.cutShort)
      }
    })

    test('a refusal is not an empty reply', async () => {
      say(script, answers.refusal)
      sayStreamed(script, answers.refusal)
      const whole = await connect().ask(ask(script))
      const streamed = await connect().stream(ask(script))
      for (const heard of [whole, streamed]) {
        const own = script.protocol === sdk.protocol ? finishes.ownRefusal : undefined
        expect(heard.finish).toBe(own ?? finishes.refusal)
        // If a protocol has a finish reason but no field for the explanation, the explanation is the text.
        const words = heard.refusal === '' ? heard.text : heard.refusal
        if (sdk.tellsRefusals) expect(words).toBe(answers.refusal.refusal)
      }
    })

    test('reasoning is separate from the text', async () => {
      say(script, answers.thought)
      sayStreamed(script, answers.thought)
      const whole = await connect().ask(ask(script, { thinks: true }))
      const streamed = await connect().stream(ask(script, { thinks: true }))
      for (const heard of [whole, streamed]) {
        expect(heard.text).toBe(textOf(answers.thought))
        expect(heard.thought).toBe(sdk.showsThoughts === false ? '' : answers.thought.thought.text)
      }
    })
  })
}
