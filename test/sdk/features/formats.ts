import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import { dig, list } from '../../support/protocols/test-protocol.ts'
import { ask, type Fixture } from '../fixture.ts'
import { type Answer, answers, type Image, type Script, textOf } from '../scripts/answer.ts'
import { scripts } from '../scripts/scripts.ts'

const dot: Image = {
  mime: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}
const forecast = { city: 'Rome', degrees: 24 }

/** Answers that follow a schema, and prompts with more than text. */
export function testFormats(fixture: Fixture): void {
  const { connect, say, sayStreamed, sent } = fixture

  describe.each(scripts)('over $protocol', (script) => {
    test('a reply that follows a schema', async () => {
      say(script, structured(fixture, script))
      sayStreamed(script, structured(fixture, script))
      const whole = await connect().ask(ask(script, { hasSchema: true }))
      const streamed = await connect().stream(ask(script, { hasSchema: true }))
      for (const heard of [whole, streamed]) expect(parseJson(heard.text)).toEqual(forecast)
      for (const count of [1, 2]) expectSchema(fixture, script, sent(count))
    })

    test('an image', async () => {
      say(script, answers.text)
      const heard = await connect().ask(ask(script, { image: dot }))
      expect(heard.text).toBe(textOf(answers.text))
      expect(script.readImages(sent(1))).toEqual([dot])
    })
  })
}

function structured({ sdk }: Fixture, script: Script): Answer {
  const tool = sdk.schemaTool?.(ask(script).model)
  return tool === undefined ? answers.json : { calls: [{ name: tool, input: forecast }] }
}

function expectSchema({ sdk }: Fixture, script: Script, body: unknown): void {
  const tool = sdk.schemaTool?.(ask(script).model)
  if (tool !== undefined) {
    expect(script.readTools(body)).toEqual([tool])
    return
  }
  const schema = script.readSchema(body)
  expect(Object.keys(dig(schema, 'properties') ?? {})).toEqual(['city', 'degrees'])
  expect(list(dig(schema, 'required'))).toEqual(['city', 'degrees'])
  expect(String(dig(schema, 'properties', 'degrees', 'type')).toLowerCase()).toBe('integer')
}
