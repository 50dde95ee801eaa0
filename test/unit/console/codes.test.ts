import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { en } from '../../../console/src/i18n/en.ts'
import { enLazy } from '../../../console/src/i18n/en-lazy.ts'
import { zh } from '../../../console/src/i18n/zh.ts'
import { zhLazy } from '../../../console/src/i18n/zh-lazy.ts'
import {
  fieldProblemTexts,
  stateProblemTexts,
} from '../../../src/console-api/contract/refusal-texts.ts'
import {
  auditActions,
  auditKinds,
  chargeFlags,
  choiceReasons,
  featureNames,
  findingKinds,
  ledgerTroubles,
  leftOutCodes,
  requestChanges,
  requestChecks,
  requestReasons,
  upstreamProblems,
  usageSources,
  warningEndings,
} from '../../../src/console-api/contract.ts'
import { deliveryProblemTexts } from '../../../src/core/delivery-problem.ts'
import { creditReasons } from '../../../src/core/money/credit-reasons.ts'
import { problemLimits, valueProblemTexts } from '../../../src/fields/problems.ts'
import { vendors } from '../../../src/vendors/index.ts'

const english: Readonly<Record<string, string>> = { ...en, ...enLazy }
const chinese: Readonly<Record<string, string>> = { ...zh, ...zhLazy }
const sources = join(import.meta.dirname, '..', '..', '..', 'src')

/** Each family of codes, and the prefix of its text keys. */
const families: readonly [string, readonly string[]][] = [
  ['reason', requestReasons],
  ['flag', chargeFlags],
  ['source', usageSources],
  ['try', choiceReasons],
  ['change', requestChanges],
  ['warning', warningEndings],
  ['explain.check', requestChecks],
  ['out', leftOutCodes],
  ['problem', upstreamProblems],
  ['finding', findingKinds],
  ['system.trouble', ledgerTroubles],
  ['delivery', Object.keys(deliveryProblemTexts)],
  ['feature', featureNames],
  ['field', featureNames],
  ['rule', Object.keys(valueProblemTexts)],
  ['detail', [...Object.keys(fieldProblemTexts), ...Object.keys(stateProblemTexts)]],
  ['setting', ['(not set)', '(none)', 'default']],
  ['origin', ['stranger', 'cli', 'console', 'provision', 'demo']],
  ['credit', ['reversal', ...Object.keys(creditReasons)]],
  ['audit.kind', auditKinds],
  ['audit.action', auditActions],
  ['upstreams.health', ['healthy', 'degraded', 'down', 'unknown']],
  ['upstreams.breaker', ['closed', 'open', 'half-open']],
  ['credentials.state', ['working', 'rate-limited', 'rejected', 'unknown']],
  ['keys.state', ['active', 'disabled', 'expired', 'exhausted']],
]

describe('codes of the gateway', () => {
  test.each(families)('every %s has a text in English and in Chinese', (family, codes) => {
    expect(codes.length).toBeGreaterThan(0)
    for (const code of codes) {
      const key = `${family}.${code}`
      expect([key, english[key]]).toEqual([key, expect.stringMatching(/\S/)])
      expect([key, chinese[key]]).toEqual([key, expect.stringMatching(/\p{Script=Han}/u)])
    }
  })

  test.each([...vendors.keys()])('the vendor %s has a name in English and in Chinese', (name) => {
    for (const language of [english, chinese]) {
      expect(language[`value.vendor.${name}`]).toMatch(/^[A-Z]/)
    }
  })

  test('texts of refusals have the same placeholders on both sides', () => {
    const placesIn = (text = '') =>
      [...text.matchAll(/{+(\w+)(?:, \w+)?}+/g)].map(([, name = '']) => name).sort()
    const families = [
      ['detail', { ...fieldProblemTexts, ...stateProblemTexts }],
      ['rule', valueProblemTexts],
      ['delivery', deliveryProblemTexts],
    ] as const
    for (const [family, codes] of families) {
      for (const [code, words] of Object.entries(codes)) {
        for (const language of [english, chinese]) {
          expect([code, placesIn(language[`${family}.${code}`])]).toEqual([code, placesIn(words)])
        }
      }
    }
  })

  test('a limit is a placeholder and never part of the text', () => {
    for (const [code, limits] of Object.entries(problemLimits)) {
      for (const [name, limit] of Object.entries(limits)) {
        for (const language of [english, chinese, valueProblemTexts as Record<string, string>]) {
          const words = language[`rule.${code}`] ?? language[code] ?? ''
          expect([code, words.replaceAll(/[,_]/g, '')]).not.toEqual([
            code,
            expect.stringMatching(new RegExp(`\\b${limit}\\b`)),
          ])
          expect([code, words]).toEqual([code, expect.stringContaining(`{${name}`)])
        }
      }
    }
  })

  test('every action of the audit log is known, and its kind', async () => {
    const actions: readonly string[] = auditActions
    const kinds: readonly string[] = auditKinds
    const written = new Set<string>()
    for await (const name of new Glob('**/*.ts').scan(sources)) {
      if (name.startsWith('console-api/contract')) continue
      const text = await Bun.file(join(sources, name)).text()
      if (!/recordAudit|record\(|action/.test(text)) continue
      for (const [, action = ''] of text.matchAll(/'([a-z]+\.[a-z-]+)'/g)) {
        if (kinds.includes(action.split('.')[0] ?? '')) written.add(action)
      }
      for (const [, action = ''] of text.matchAll(/(?<!readonly )action: '([^']+)'/g))
        written.add(action)
    }
    expect(written.size).toBeGreaterThan(40)
    expect([...written].filter((action) => !actions.includes(action))).toEqual([])
    expect(actions.filter((action) => !kinds.includes(action.split('.')[0] ?? ''))).toEqual([])
  })
})
