import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting } from '../../../src/config/setting.ts'
import { settings } from '../../../src/config/settings.ts'
import { loadText, refusalOf } from './load-text.ts'

const all: readonly Setting<unknown>[] = Object.values(settings)
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('config'))
  .map((path) => readFileSync(join('src', path), 'utf8'))
  .join('\n')

test('name, variable and flag of a setting are the same words', () => {
  for (const { name, variable, flag } of Object.values(settings)) {
    const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect(flag).toBe(words)
    expect(variable).toBe(`TOLLGATE_${words.replaceAll('-', '_').toUpperCase()}`)
  }
})

/** Invalid for every kind of setting: none accepts an object. */
const wrong = '{ a: 1 }'

describe.each(all)('the setting $name', ({ name, variable, flag, member, byDefault, ...more }) => {
  test('is read from the file, the environment and the command line, and shown with its source', () => {
    const taken = byDefault === undefined || byDefault === '' ? undefined : byDefault
    if (taken !== undefined) {
      const sourceOf = (given: Parameters<typeof loadText>[0]) =>
        loadText(given).inForce.find((each) => each.name === name)?.source
      expect(sourceOf({ text: '{}' })).toBe('default')
      if (!name.startsWith('openId')) {
        expect(sourceOf({ text: `${name}: ${JSON.stringify(taken)}` })).toBe('tollgate.yaml:1')
      }
      expect(sourceOf({ text: '{}', env: { [variable]: taken } })).toBe(variable)
      expect(sourceOf({ text: '{}', flags: { [flag]: taken } })).toBe(`--${flag}`)
    }
    expect(refusalOf({ text: `${name}: ${wrong}` })).toStartWith(`tollgate.yaml:1: ${name} `)
    const inForce = loadText({ text: '{}' }).inForce.map((each) => each.name)
    expect(inForce).toContain(name)
  })

  test('is a member of the configuration, and something outside the loader reads it', () => {
    const config = loadText({ text: '{}' })
    if (member === null) {
      expect(Object.keys(config)).not.toContain(name)
      return
    }
    const called = member ?? name
    expect(Object.keys(config)).toContain(called)
    expect(new RegExp(`\\b${called}\\b`).test(sources)).toBeTrue()
  })

  test('never shows a secret', () => {
    if (!more.isSecret) return
    const literal = 'not=for-anybody-to-see-0123456789'
    const { inForce, file } = loadText({ text: `${name}: ${literal}` })
    expect(JSON.stringify(inForce)).not.toContain(literal)
    expect(file?.holdsSecrets).toBe(true)
    const named = loadText({ text: `${name}: env:ELSEWHERE`, env: { ELSEWHERE: literal } })
    expect(named.file?.holdsSecrets).toBe(false)
  })
})
