import { describe, expect, test } from 'bun:test'
import { withUsage } from '../../faults/wrong-usage.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { overEach } from '../../support/protocols/over-each.ts'
import { greeting, type ScriptedReply } from '../../support/protocols/test-protocol.ts'
import { allProtocols, type Pair } from '../../support/protocols/test-protocols.ts'

/*
 * An upstream reports zero tokens for an answer with text: the impossible figure is estimated, and the entry is marked.
 * All other reported figures stay.
 */

const gateway = withGateway()

/** The output counts in the reports of the test upstreams: total, without reasoning, reasoning. */
const outputs = new Set([200, 150, 50, 1, 0])
const isOutput = (count: number) => outputs.has(count)
/** No output, and a total without output. */
const withoutOutput = (count: number) => {
  if (isOutput(count)) return 0
  return count === 1_200 ? 1_000 : count
}

const rows: readonly {
  readonly name: string
  readonly wrong: (count: number) => number
  readonly isInputTrue: boolean
  readonly isOutputTrue: boolean
}[] = [
  { name: 'zero input and output', wrong: () => 0, isInputTrue: false, isOutputTrue: false },
  {
    name: 'zero output',
    wrong: withoutOutput,
    isInputTrue: true,
    isOutputTrue: false,
  },
  {
    name: 'zero input',
    wrong: (count) => (isOutput(count) ? count : 0),
    isInputTrue: false,
    isOutputTrue: true,
  },
]

function askPair(
  { from, to }: Pair,
  isStream: boolean,
  said: ScriptedReply,
  wrong: (count: number) => number,
) {
  const { ask, one } = gateway()
  const model = viaModel(to.name)
  const { upstream } = to
  const behaviour: Behaviour = isStream
    ? {
        kind: 'events',
        events: upstream.events(said).map((event) => withUsage(event, wrong)),
        end: 'clean',
      }
    : { kind: 'reply', body: withUsage(JSON.stringify(upstream.reply(said)), wrong) }
  one.script({ path: upstream.path(model, isStream).replace(/\?.*/, '') }, behaviour)
  const path = from.client.path(model, isStream)
  return ask({ key: 'any', path, body: from.client.body(model, isStream) })
}

describe('text with a usage of zero', () => {
  for (const { name, wrong, isInputTrue, isOutputTrue } of rows) {
    for (const isStream of [false, true]) {
      test.each(allProtocols)(`$name: ${name}, ${isStream ? 'a stream' : 'not streamed'}`, (from) =>
        overEach(from, async (pair) => {
          const { money } = gateway()
          const reply = await askPair(pair, isStream, greeting, wrong)
          expect(reply.status).toBe(200)
          const entry = await money.entry(reply.requestId)
          expect(entry).toMatchObject({ usage_source: 'estimated', flags: 'estimated' })
          const prompt = entry.input_tokens + entry.cache_read_tokens
          if (isInputTrue) expect(prompt).toBe(1_000)
          else {
            expect(prompt).toBeGreaterThan(3)
            expect(prompt).toBeLessThan(100)
          }
          if (isOutputTrue) expect(entry.output_tokens).toBe(200)
          else {
            expect(entry.output_tokens).toBeGreaterThan(3)
            expect(entry.output_tokens).toBeLessThan(30)
          }
          const { cost_nano: cost } = await money.usageRow(reply.requestId)
          expect(cost).toBe(entry.cost_nano)
          expect(cost).toBeGreaterThan(0n)
        }),
      )
    }
  }
})

describe('an answer without content', () => {
  test.each(allProtocols)('$name: zero output is a true report', (from) =>
    overEach(from, async (pair) => {
      const { money } = gateway()
      const reply = await askPair(pair, false, { pieces: [''] }, withoutOutput)
      expect(reply.status).toBe(200)
      const entry = await money.entry(reply.requestId)
      expect(entry).toMatchObject({ usage_source: 'upstream', output_tokens: 0, flags: '' })
    }),
  )
})

describe('zero output with a total that includes some', () => {
  test.each(allProtocols)('$name: the total is charged, and the entry is flagged', (from) =>
    overEach(from, async (pair) => {
      // The messages protocol has no total.
      if (pair.to.name === 'messages') return
      const { money } = gateway()
      const wrong = (count: number) => (isOutput(count) ? 0 : count)
      const reply = await askPair(pair, false, greeting, wrong)
      const entry = await money.entry(reply.requestId)
      expect(entry).toMatchObject({
        usage_source: 'upstream',
        output_tokens: 200,
        flags: 'inconsistent',
      })
    }),
  )
})
