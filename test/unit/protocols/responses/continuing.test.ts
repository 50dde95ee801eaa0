import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { responses } from '../../../../src/protocols/responses/index.ts'
import { parseJson } from '../../../../src/wire/json.ts'

const { continuing } = responses
if (!continuing) throw new Error('the protocol cannot continue earlier responses')
const { referredItems, expandInput, encodeInputItems } = continuing

const storedItemsOf = (bodyText: string, responseText: string) => {
  const input = continuing.storedInputOf(bodyText, continuing.replyIdIn(responseText) ?? '')
  return continuing.storedItemsOf(input, responseText)
}

const message = { id: 'msg_a', type: 'message', role: 'assistant', content: [] }
const responseText = JSON.stringify({ id: 'resp_xyz', output: [message] })

describe('continuing an earlier response', () => {
  test('the stored content: the whole conversation with ids, and the answer', () => {
    const body = {
      model: 'm',
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { type: 'function_call_output', call_id: 'c', output: 'three' },
        { type: 'function_call', id: 'fc_kept', call_id: 'd', name: 'f', arguments: '{}' },
      ],
    }
    expect(parseJson(storedItemsOf(JSON.stringify(body), responseText))).toEqual([
      {
        id: 'msg_xyz0',
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_text', text: 'one' }],
      },
      {
        id: 'msg_xyz1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'two', annotations: [] }],
      },
      { id: 'fco_xyz2', type: 'function_call_output', call_id: 'c', output: 'three' },
      { id: 'fc_kept', type: 'function_call', call_id: 'd', name: 'f', arguments: '{}' },
      message,
    ])
  })

  test('the next request: stored items first, no reference, the rest unchanged', () => {
    const stored = storedItemsOf('{"model":"m","input":"one"}', responseText)
    const body =
      '{"model":"m","previous_response_id":"resp_xyz","tools":[{"type":"function","parameters":{"maximum":1.0}}],"input":"two"}'
    const text = expandInput(body, stored, [])
    expect(text).toContain('"maximum":1.0')
    expect(text).not.toContain('previous_response_id')
    expect(parseJson(text)).toMatchObject({
      input: [
        { role: 'user', content: [{ text: 'one' }] },
        message,
        { type: 'message', role: 'user', content: 'two' },
      ],
    })
  })

  test('three turns: nothing is lost or repeated', () => {
    const first = storedItemsOf('{"model":"m","input":"one"}', responseText)
    const second = expandInput('{"model":"m","input":"two","previous_response_id":"x"}', first, [])
    const answer = JSON.stringify({ id: 'resp_2', output: [{ ...message, id: 'msg_b' }] })
    const items = parseJson(storedItemsOf(second, answer))
    const ids = (items as { id: string }[]).map(({ id }) => id)
    expect(ids).toEqual(['msg_xyz0', 'msg_a', 'msg_22', 'msg_b'])
  })

  test('a reference to an item is replaced by the item', () => {
    const stored = JSON.stringify([message])
    const body = { model: 'm', input: [{ type: 'item_reference', id: 'msg_a' }, { id: 'msg_a' }] }
    const expanded = parseJson(expandInput(JSON.stringify(body), stored, []))
    expect(expanded).toEqual({ model: 'm', input: [message, message, message] })
  })

  test('an item of another list is inserted, and nothing else of that list', () => {
    const other = JSON.stringify([{ ...message, id: 'msg_b' }, message])
    const two = { role: 'user', content: 'two' }
    const body = { model: 'm', input: [{ type: 'item_reference', id: 'msg_a' }, two] }
    expect(referredItems(body)).toEqual(['msg_a'])
    const expanded = parseJson(expandInput(JSON.stringify(body), '[]', [other]))
    expect(expanded).toEqual({ model: 'm', input: [message, two] })
  })

  test('an unknown item: 400', () => {
    const body = { model: 'm', input: [{ type: 'item_reference', id: 'msg_gone' }] }
    expect(() => expandInput(JSON.stringify(body), '[]', [])).toThrow(Fault)
  })

  test('the list of input items does not include the output', () => {
    const stored = storedItemsOf(
      '{"model":"m","input":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}',
      responseText,
    )
    expect(encodeInputItems(stored, responseText)).toMatchObject({
      object: 'list',
      data: [{ id: 'msg_xyz1' }, { id: 'msg_xyz0' }],
      first_id: 'msg_xyz1',
      last_id: 'msg_xyz0',
      has_more: false,
    })
  })
})
