import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { overEach } from '../../support/protocols/over-each.ts'
import type { ScriptedReply } from '../../support/protocols/test-protocol.ts'
import { allProtocols } from '../../support/protocols/test-protocols.ts'

/*
 * An upstream reports usage at the beginning of its answer or in the middle, and the report at the end is missing or
 * invalid. The early report does not cover the text that follows it: that text is charged as delivered, and the entry is
 * marked as an estimate.
 */

const said: ScriptedReply = {
  pieces: Array.from({ length: 60 }, (_, index) => `sentence number ${index} of a story. `),
}
/** The delivered text has about 480 tokens. */
const outputMin = 300

type Edit = (event: JsonObject) => JsonObject

function edited(frames: readonly string[], edit: Edit): string[] {
  return frames.map((frame) =>
    frame.replace(/^data: (\{.*\})(\r?)$/m, (whole, data: string, end: string) => {
      const event = parseJson(data)
      return isObject(event) ? `data: ${JSON.stringify(edit(event))}${end}` : whole
    }),
  )
}

const early = { prompt_tokens: 1_000, completion_tokens: 1, total_tokens: 1_001 }

/** `late` replaces the report at the end of the answer. */
interface Row {
  readonly name: string
  readonly late: unknown
  readonly protocols: readonly ProtocolName[]
}

const rows: readonly Row[] = [
  {
    name: 'no last report',
    late: undefined,
    protocols: ['chat-completions', 'messages', 'generate-content'],
  },
  {
    name: 'a last report of null',
    late: null,
    protocols: ['chat-completions', 'messages', 'generate-content'],
  },
  {
    name: 'a last report with a negative output',
    late: { prompt_tokens: 1_000, completion_tokens: -3, input_tokens: 600, output_tokens: -3 },
    protocols: ['chat-completions', 'messages'],
  },
  {
    name: 'a last report without output',
    late: { prompt_tokens: 1_000, total_tokens: 1_001, input_tokens: 600 },
    protocols: ['chat-completions', 'messages'],
  },
]

const edits: Readonly<
  Record<ProtocolName, (frames: readonly string[], late: unknown) => string[]>
> = {
  'chat-completions': (frames, late) => {
    let isFirst = true
    return edited(frames, (chunk) => {
      if (chunk['usage'] !== undefined) return { ...chunk, usage: late }
      const isEarly = isFirst
      isFirst = false
      return isEarly ? { ...chunk, usage: early } : chunk
    })
  },
  messages: (frames, late) =>
    edited(frames, (event) =>
      event['type'] === 'message_delta' ? { ...event, usage: late } : event,
    ),
  'generate-content': (frames, late) => {
    let isFirst = true
    return edited(frames, (chunk) => {
      const isEarly = isFirst
      isFirst = false
      return isEarly ? chunk : { ...chunk, usageMetadata: late }
    })
  },
  // Only its last event reports usage.
  responses: (frames) => [...frames],
}

describe('a report that the rest of the answer follows', () => {
  const gateway = withGateway()

  for (const { name, late, protocols } of rows) {
    test.each(allProtocols)(`$name: ${name}`, (from) =>
      overEach(from, async ({ to }) => {
        if (!protocols.includes(to.name)) return
        const { ask, one, money } = gateway()
        const model = viaModel(to.name)
        one.script(
          { path: to.upstream.path(model, true).replace(/\?.*/, '') },
          { kind: 'events', events: edits[to.name](to.upstream.events(said), late), end: 'clean' },
        )
        const path = from.client.path(model, true)
        const reply = await ask({ key: 'any', path, body: from.client.body(model, true) })
        expect(reply.status).toBe(200)
        const entry = await money.entry(reply.requestId)
        expect(entry).toMatchObject({ usage_source: 'estimated', flags: 'estimated' })
        expect(entry.input_tokens + entry.cache_read_tokens).toBe(1_000)
        expect(entry.output_tokens).toBeGreaterThan(outputMin)
      }),
    )
  }
})
