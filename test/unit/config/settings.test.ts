import { expect, test } from 'bun:test'
import { settings } from '../../../src/config/settings.ts'

test('name, variable and flag of a setting are the same words', () => {
  for (const { name, variable, flag } of Object.values(settings)) {
    const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect(flag).toBe(words)
    expect(variable).toBe(`TOLLGATE_${words.replaceAll('-', '_').toUpperCase()}`)
  }
})
