import { expect, test } from 'bun:test'
import { ReasoningMemory } from '../../../src/gateway/reply/reasoning-memory.ts'

const opaque = { issuer: 'google/gemini', kind: 'signature', data: 'c2lnbmVk' } as const
const carried = { reasoning: [], opaque }

test('reasoning is found only by its own key, for a while', () => {
  let nowMs = 1_000
  const memory = new ReasoningMemory(() => nowMs)
  memory.keep('k1', 'call_1', carried)
  expect(memory.find('k1', 'call_1')).toEqual(carried)
  expect(memory.find('k2', 'call_1')).toBeUndefined()
  expect(memory.find('k1', 'call_2')).toBeUndefined()
  nowMs += 6 * 60 * 60 * 1000
  expect(memory.find('k1', 'call_1')).toBeUndefined()
  expect(memory.size).toBe(0)
})

test('a later reply with the same call replaces the earlier one', () => {
  const memory = new ReasoningMemory(() => 0)
  memory.keep('k1', 'call_1', carried)
  const later = { reasoning: [], opaque: { ...opaque, data: 'bGF0ZXI' } }
  memory.keep('k1', 'call_1', later)
  expect(memory.find('k1', 'call_1')).toEqual(later)
  expect(memory.size).toBe(1)
})

test('the memory never exceeds its limits: the oldest entries are dropped first', () => {
  const memory = new ReasoningMemory(() => 0)
  for (let index = 0; index < 20_010; index += 1) memory.keep('k', `call_${index}`, carried)
  expect(memory.size).toBe(20_000)
  expect(memory.find('k', 'call_9')).toBeUndefined()
  expect(memory.find('k', 'call_10')).toEqual(carried)
  const heavy = { reasoning: [{ type: 'reasoning', text: 'x'.repeat(3_000_000) }] } as const
  for (let index = 0; index < 40; index += 1) memory.keep('k', `heavy_${index}`, heavy)
  expect(memory.find('k', 'heavy_39')).toEqual(heavy)
  expect(memory.find('k', 'heavy_0')).toBeUndefined()
  expect(memory.size).toBeLessThan(40)
})

test('an entry larger than a sixteenth of the memory is not kept', () => {
  const memory = new ReasoningMemory(() => 0)
  const huge = { reasoning: [{ type: 'reasoning', text: 'x'.repeat(5_000_000) }] } as const
  memory.keep('k', 'call', huge)
  expect(memory.find('k', 'call')).toBeUndefined()
})
