import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { en } from '../../../console/src/i18n/en.ts'
import { enLazy } from '../../../console/src/i18n/en-lazy.ts'
import { zh } from '../../../console/src/i18n/zh.ts'
import { zhLazy } from '../../../console/src/i18n/zh-lazy.ts'

const english: Readonly<Record<string, string>> = { ...en, ...enLazy }
const chinese: Readonly<Record<string, string>> = { ...zh, ...zhLazy }
const placeholdersOf = (text: string) =>
  [...text.matchAll(/{{\w+}}/g)].map(([place]) => place).sort()

describe('the texts of the console', () => {
  test('both languages have the same ones', () => {
    expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort())
  })

  test('each exists in both, with the same placeholders', () => {
    const wrong = Object.keys(english).filter((key) => {
      const [one = '', other = ''] = [english[key], chinese[key]]
      const isEmpty = one.trim() === '' || other.trim() === ''
      return isEmpty || !Bun.deepEquals(placeholdersOf(one), placeholdersOf(other))
    })
    expect(wrong).toEqual([])
  })

  test('a counted noun has a singular and a plural', () => {
    const alone = Object.keys(english).filter(
      (key) =>
        /{{count[^}]*}} (?:[a-z]+ )?[a-z]+s\b/.test(english[key] ?? '') && !key.endsWith('_other'),
    )
    expect(alone).toEqual([])
  })

  test('texts that forms of keys and tokens share name neither', () => {
    const shared = Object.keys(english).filter((key) => key.startsWith('keys.form.address'))
    expect(shared.length).toBeGreaterThan(0)
    const wrong = shared.filter(
      (key) =>
        /\bkey\b|\btoken\b/i.test(english[key] ?? '') || /密钥|令牌/.test(chinese[key] ?? ''),
    )
    expect(wrong).toEqual([])
  })

  test('each is used: its key, or the beginning that a part of the console completes', () => {
    const folder = 'console/src'
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('i18n'))
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .join('\n')
    const literals = new Set([...code.matchAll(/['"`]([\w. ]+)['"`]/g)].map(([, text]) => text))
    const beginnings = [...code.matchAll(/`(\w+\.[\w.]*)\$\{/g)].map(([, text = '']) => text)
    const unused = Object.keys(english).filter((key) => {
      const isNamed = literals.has(key) || literals.has(key.replace(/_(?:one|other)$/, ''))
      return !isNamed && !beginnings.some((beginning) => key.startsWith(beginning))
    })
    expect(unused).toEqual([])
  })

  test('no text is defined by two pages', async () => {
    const { Glob } = await import('bun')
    const folder = new URL('../../../console/src/i18n/en/', import.meta.url).pathname
    const keys: string[] = []
    for await (const name of new Glob('*.ts').scan(folder)) {
      const words: Record<string, Record<string, string>> = await import(`${folder}${name}`)
      for (const list of Object.values(words)) keys.push(...Object.keys(list))
    }
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    expect(keys.length).toBe(Object.keys(english).length)
  })
})
