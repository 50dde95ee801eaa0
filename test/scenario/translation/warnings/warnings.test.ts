import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../../src/wire/json.ts'
import { viaModel } from '../../../support/gateway/test-provision.ts'
import { withGateway } from '../../../support/gateway/with-gateway.ts'
import { greeting, greetingText } from '../../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../../support/protocols/test-protocols.ts'
import { askRow, bodyOf, expectRefused } from './warnings-helpers.ts'
import { harmless, lossy, type Row } from './warnings-table.ts'

const gateway = withGateway()
const chat = 'chat-completions'

function each(rows: readonly Row[]) {
  return rows.flatMap((row) =>
    row.to.map((to) => ({ ...row, to, title: `${row.from} over ${to}: ${row.warning}` })),
  )
}

describe('a field that an upstream does not support', () => {
  for (const row of each([...lossy, ...harmless])) {
    test(`${row.title}, in a lenient group: a warning`, async () => {
      const { one, money } = gateway()
      const reply = await askRow(gateway(), 'any', row, row.to)
      expect(reply.status).toBe(200)
      expect(testProtocols[row.from].client.textOf(reply.json)).toBe(greetingText)
      expect(reply.headers.get('x-gateway-warnings')).toBe(row.warning)
      expect((await money.usageRow(reply.requestId)).warnings).toBe(row.warning)
      if (row.gone) expect(one.requests[0]?.body).not.toContain(row.gone)
    })
  }

  for (const row of each(lossy)) {
    test(`${row.title}, in a strict group: a refusal`, async () => {
      const reply = await askRow(gateway(), 'strict', row, row.to)
      const field = row.field ?? row.warning.replace(/_[a-z]+(?:_[a-z]+)?$/, '')
      await expectRefused(
        gateway(),
        reply,
        row.from,
        expect.stringMatching(new RegExp(`^${field}`)),
      )
      expect(reply.text).toContain('strict')
      expect(reply.text).toContain(`\\"${field}`)
    })
  }

  for (const row of each(harmless)) {
    test(`${row.title}, in a strict group: a warning as well`, async () => {
      const reply = await askRow(gateway(), 'strict', row, row.to)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-gateway-warnings')).toBe(row.warning)
    })
  }

  test('several warnings are in one header, in streams as well', async () => {
    const { ask, one, money } = gateway()
    const model = viaModel('messages')
    const events = testProtocols.messages.upstream.events(greeting)
    one.script('next', { kind: 'events', events, end: 'clean' })
    const fields = { seed: 7, logprobs: true, temperature: 1.5 }
    const reply = await ask({ key: 'any', body: bodyOf({ from: chat, fields }, model, true) })
    expect(reply.status).toBe(200)
    const header = reply.headers.get('x-gateway-warnings') ?? ''
    const expected = ['logprobs_dropped', 'seed_dropped', 'temperature_clamped']
    expect(header.split(', ').sort()).toEqual(expected)
    const { warnings } = await money.usageRow(reply.requestId)
    expect(warnings?.split(',').sort()).toEqual(expected)
  })

  test('an unknown field is named, and its name cannot break the header', async () => {
    const name = 'unheard\r\nx-evil: 1, ü🌍'
    const fields = { unheard: 1, [name]: 2 }
    const reply = await askRow(gateway(), 'any', { from: chat, fields }, 'messages')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-evil')).toBeNull()
    const header = reply.headers.get('x-gateway-warnings') ?? ''
    expect(header).toContain('unheard_dropped')
    expect(header).toMatch(/^[A-Za-z0-9_.,\x20-]+$/)
    const refused = await askRow(
      gateway(),
      'strict',
      { from: chat, fields: { unheard: 1 } },
      'messages',
    )
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('unheard')
  })

  test('a thousand unknown fields do not make the header too long', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => [`unheard_of_${index}`, index])
    const reply = await askRow(
      gateway(),
      'any',
      { from: chat, fields: Object.fromEntries(names) },
      'messages',
    )
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-gateway-warnings')?.length).toBeLessThan(4_000)
  })

  test('between two sides of one protocol there are no warnings, strict or not', async () => {
    for (const key of ['any', 'strict'] as const) {
      const fields = { seed: 7, logit_bias: { 50256: -100 }, unheard: { a: [1.5] } }
      const reply = await askRow(gateway(), key, { from: chat, fields }, chat)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-gateway-warnings')).toBeNull()
      const [sent] = gateway().one.requests.slice(-1)
      expect(parseJson(sent?.body ?? '')).toMatchObject(fields)
    }
  })
})
