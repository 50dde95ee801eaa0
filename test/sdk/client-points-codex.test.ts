import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/wire/json.ts'
import { viaModel } from '../support/gateway/test-provision.ts'
import { readEvents } from '../support/protocols/read-events.ts'
import { dig, list, type StreamedEvent } from '../support/protocols/test-protocol.ts'
import { testProtocols } from '../support/protocols/test-protocols.ts'
import {
  applyPatch,
  codexBody,
  codexHeaders,
  codexLiteBody,
  filesNamespace,
  patch,
} from './bodies/codex-body.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, type Script, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'

const { gateway, sayStreamed, sent } = withScriptedGateway()
const { client } = testProtocols.responses
const own = { input: patch }
const { thought } = answers.thought

/** Upstreams for which a custom tool becomes a function with one string; responses has custom tools itself. */
const translated = scripts.filter(({ protocol }) => protocol !== 'responses')

async function askCodex(body: JsonObject): Promise<readonly StreamedEvent[]> {
  const { ask } = gateway()
  const reply = await ask({ key: 'any', path: '/v1/responses', headers: codexHeaders, body })
  expect(reply.status).toBe(200)
  const events = readEvents(reply.text)
  const numbers = events.map(({ data }) => dig(data, 'sequence_number'))
  expect(numbers).toEqual([...events.keys()])
  expect(client.countEnds(events.slice(-1))).toBe(1)
  return events
}

function itemsOf(events: readonly StreamedEvent[]): readonly unknown[] {
  const done = events.filter(({ event }) => event === 'response.output_item.done')
  const items = done.map(({ data }) => dig(data, 'item'))
  expect(dig(events.at(-1)?.data, 'response', 'output')).toEqual([...items])
  return items
}

describe.each(scripts)('point 11: Codex over $protocol', (script) => {
  const model = viaModel(script.protocol)

  test('text, with every field of its requests', async () => {
    sayStreamed(script, answers.text)
    const events = await askCodex(codexBody(model))
    expect(client.streamedText(events)).toBe(textOf(answers.text))
    const usage = client.streamedUsage(events)
    expect(usage).toMatchObject(testProtocols.responses.usage)
    expect(gateway().one.requests[0]?.body).toContain('You are a coding agent.')
    expect(gateway().one.requests[0]?.body).toContain('Write a file.')
  })

  test('a function is called, and its output is an array of text parts', async () => {
    const input = { cmd: 'ls' }
    sayStreamed(script, { thought, calls: [{ name: 'exec_command', input }] })
    const first = codexBody(model)
    const items = itemsOf(await askCodex(first))
    const call = items.find((item) => dig(item, 'type') === 'function_call')
    expect(call).toMatchObject({ name: 'exec_command', arguments: JSON.stringify(input) })
    expect(dig(call, 'id')).not.toBe(dig(call, 'call_id'))
    sayStreamed(script, answers.text)
    const output = [{ type: 'input_text', text: 'README.md' }]
    const result = { type: 'function_call_output', call_id: dig(call, 'call_id'), output }
    const next = { ...first, input: [...list(first['input']), ...items, result] }
    expect(client.streamedText(await askCodex(next))).toBe(textOf(answers.text))
    expect(script.readCalls(sent(2))).toEqual([
      { name: 'exec_command', input, result: 'README.md' },
    ])
    const tokens = testProtocols[script.protocol].upstream.tokensOf(sent(2))
    expect(tokens).toEqual(script.protocol === 'chat-completions' ? [] : [thought.token])
  })
})

describe.each(translated)('point 11: custom tools over $protocol', (script) => {
  const model = viaModel(script.protocol)

  test('are sent as functions and returned as custom tool calls', async () => {
    sayStreamed(script, { calls: [{ name: 'apply_patch', input: own }] })
    const first = codexBody(model)
    const events = await askCodex(first)
    expectPatch(events, {})
    expect(script.readTools(sent(1))).toContain('apply_patch')
    expect(gateway().one.requests[0]?.body).toContain('*** Begin Patch')
    const items = itemsOf(events)
    sayStreamed(script, answers.text)
    const call_id = dig(items[0], 'call_id')
    const output = [{ type: 'input_text', text: 'Done.' }]
    const result = { type: 'custom_tool_call_output', call_id, output }
    await askCodex({ ...first, input: [...list(first['input']), ...items, result] })
    expect(script.readCalls(sent(2))).toEqual([
      { name: 'apply_patch', input: own, result: 'Done.' },
    ])
  })

  test('can be chosen with tool_choice', async () => {
    sayStreamed(script, { calls: [{ name: 'apply_patch', input: own }] })
    const tools = [applyPatch]
    const tool_choice = { type: 'custom', name: 'apply_patch' }
    expectPatch(await askCodex(codexBody(model, { tools, tool_choice })), {})
    expect(script.readTools(sent(1))).toEqual(['apply_patch'])
  })

  const forms = [
    {
      name: 'namespaces',
      bodyOf: () => codexBody(model, { tools: [filesNamespace] }),
    },
    { name: 'additional_tools and no tools', bodyOf: () => codexLiteBody(model) },
  ]
  test.each(forms)('$name', async ({ bodyOf }) => {
    const [read, change] = await learnNames(script, bodyOf())
    sayStreamed(script, { calls: [{ name: change, input: own }] })
    const events = await askCodex(bodyOf())
    expectPatch(events, { namespace: 'mcp__files' })
    const patched = itemsOf(events)
    sayStreamed(script, { calls: [{ name: read, input: { cmd: 'a.txt' } }] })
    const output = [{ type: 'input_text', text: 'Done.' }]
    const result = {
      type: 'custom_tool_call_output',
      call_id: dig(patched[0], 'call_id'),
      output,
    }
    const input = [...list(bodyOf()['input']), ...patched, result]
    const items = itemsOf(await askCodex({ ...bodyOf(), input }))
    expect(script.readCalls(sent(3))).toEqual([{ name: change, input: own, result: 'Done.' }])
    expect(items).toMatchObject([
      {
        type: 'function_call',
        name: 'read_file',
        namespace: 'mcp__files',
        arguments: '{"cmd":"a.txt"}',
      },
    ])
  })
})

describe('point 11: an upstream of the same protocol gets the agent’s bytes', () => {
  const [, script] = scripts
  if (script?.protocol !== 'responses') throw new Error('the table has another order')
  const model = viaModel('responses')

  test.each([codexBody(model), codexLiteBody(model)])('%#', async (body) => {
    sayStreamed(script, answers.text)
    await askCodex(body)
    // Searches cost money: the gateway adds the number of paid searches, and nothing else.
    const isSearching = JSON.stringify(body).includes('"web_search"')
    expect(sent(1)).toEqual(isSearching ? { ...body, max_tool_calls: 10 } : body)
  })
})

/** The names of a namespace's two tools at an upstream without namespaces. */
async function learnNames(script: Script, body: JsonObject): Promise<readonly [string, string]> {
  sayStreamed(script, answers.text)
  await askCodex(body)
  const [read, change, ...others] = script.readTools(sent(1)).map(String)
  expect(others).toEqual([])
  expect(read).toContain('read_file')
  expect(change).toContain('apply_patch')
  return [read ?? '', change ?? '']
}

function expectPatch(events: readonly StreamedEvent[], more: JsonObject): void {
  const type = 'response.custom_tool_call_input'
  const deltas = events.filter(({ event }) => event === `${type}.delta`)
  expect(deltas.map(({ data }) => dig(data, 'delta')).join('')).toBe(patch)
  const done = events.find(({ event }) => event === `${type}.done`)
  expect(dig(done?.data, 'input')).toBe(patch)
  expect(itemsOf(events)).toMatchObject([
    { type: 'custom_tool_call', name: 'apply_patch', input: patch, ...more },
  ])
}
