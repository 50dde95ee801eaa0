import type { Language } from '../core/text/language.ts'
import { type Crossings, writtenValues } from './alert-source.ts'
import { type AlertText, fillText, forPeople, type TextName, textNameOf } from './alert-texts.ts'
import type { AlertKind } from './definition/alert.ts'

export const groupLimits = {
  /** Conditions that a text lists. */
  listedMax: 20,
  /** Conditions in one request to a webhook. */
  hookConditionsMax: 100,
  /** Bytes of these conditions. With the text about all of them, a request has less than the 100 kB of many receivers. */
  hookBytesMax: 60_000,
  /** Characters of a Slack-compatible message: Slack advises 4,000, Discord refuses more than 2,000. */
  slackCharactersMax: 2_000,
} as const

/** The text about several conditions that began at once. */
export interface GroupText extends AlertText {
  /** One for each condition that is listed. */
  readonly lines: readonly string[]
  /** How many conditions are not listed. */
  readonly rest: string | undefined
}

interface GroupTexts {
  readonly of: Readonly<Record<AlertKind, readonly [subject: string, text: string]>>
  readonly line: Readonly<Record<TextName, string>>
  readonly rest: string
  /** The label of the link to the alert, and what stands in its place if the gateway does not know its own URL. */
  readonly link: string
  readonly page: string
}

/* As in `alert-texts.ts`; `count` is the number of conditions. Texts of a group have the values of the first one. */

const en: GroupTexts = {
  of: {
    credit_low: [
      'Low credit: {count} accounts',
      'The balances of {count} accounts are below {threshold}. Add credit: requests are rejected when a balance runs out.',
    ],
    budget_low: [
      'Low budget: {count} budgets',
      '{count} budgets are almost spent, or were when their period ended. To let requests continue, raise the budgets.',
    ],
    key_expiring: [
      'Keys expire soon: {count}',
      '{count} keys expire soon. Extend the keys or replace them.',
    ],
    spend_unusual: [
      'Unusual spend: {count} accounts',
      '{count} accounts have spent more than {factor} times their usual spend of a day. Check the request log.',
    ],
    upstream_down: [
      'Upstreams down: {count}',
      'Requests to {count} upstreams keep failing, so the gateway has stopped sending them there. Models with another route are still served. Check the upstreams.',
    ],
    credential_rejected: [
      'Credentials rejected: {count}',
      'Upstreams reject {count} credentials, so the gateway does not use these credentials for now. Enter new credentials.',
    ],
    ledger_finding: [
      'Ledgers do not balance: {count} accounts',
      'The self-audit has stopped {count} accounts, because their ledgers do not balance. Run "tollgate audit" and open the accounts in the console.',
    ],
  },
  line: {
    credit_low: '{account}: {balance}',
    budget_low: '{owner} (account {account}): {spent} of {limit} spent, resets at {resets}',
    budget_low_total: '{owner} (account {account}): {spent} of {limit} spent, never resets',
    budget_low_ended:
      '{owner} (account {account}): {spent} of {limit} spent when the period ended at {resets}',
    key_expiring: '{key} (account {account}): expires at {expires}',
    spend_unusual: '{account}: {spend} on {day} (UTC), usually {usual} a day',
    upstream_down: '{subject}',
    credential_rejected: '{detail}',
    ledger_finding: '{account}',
  },
  rest: 'and {rest} more',
  link: 'Open the alert in the console',
  page: 'The page "Alerts" of the console shows all of them.',
}

const zh: GroupTexts = {
  of: {
    credit_low: [
      '余额不足：{count} 个账户',
      '{count} 个账户的余额低于 {threshold}。请及时充值，否则请求将被拒绝。',
    ],
    budget_low: [
      '预算不足：{count} 项',
      '{count} 项预算即将用尽，或在上一周期结束时即将用尽。如需继续使用，请提高预算。',
    ],
    key_expiring: ['密钥即将过期：{count} 个', '{count} 个密钥即将过期。请延长有效期或更换密钥。'],
    spend_unusual: [
      '消费异常：{count} 个账户',
      '{count} 个账户的当日消费超过日常的 {factor} 倍。请检查请求日志。',
    ],
    upstream_down: [
      '上游不可用：{count} 个',
      '发往 {count} 个上游的请求持续失败，网关已暂停使用这些上游。有其他路由的模型仍可使用。请检查这些上游。',
    ],
    credential_rejected: [
      '凭据被拒绝：{count} 个',
      '上游拒绝了 {count} 个凭据，网关已暂停使用这些凭据。请更换凭据。',
    ],
    ledger_finding: [
      '账目不平：{count} 个账户',
      '{count} 个账户的账目不平，账目自检已暂停这些账户。请运行 tollgate audit，并在控制台查看这些账户。',
    ],
  },
  line: {
    credit_low: '{account}：{balance}',
    budget_low: '{owner}（账户 {account}）：预算 {limit}，已用 {spent}，{resets} 重置',
    budget_low_total: '{owner}（账户 {account}）：总预算 {limit}，已用 {spent}，不会重置',
    budget_low_ended: '{owner}（账户 {account}）：预算 {limit}，{resets} 周期结束时已用 {spent}',
    key_expiring: '{key}（账户 {account}）：{expires} 过期',
    spend_unusual: '{account}：{day}（UTC）已消费 {spend}，日常每日 {usual}',
    upstream_down: '{subject}',
    credential_rejected: '{detail}',
    ledger_finding: '{account}',
  },
  rest: '另有 {rest} 项',
  link: '在控制台查看该告警',
  page: '控制台的“告警”页面列出全部内容。',
}

const byLanguage: Readonly<Record<Language, GroupTexts>> = { en, zh }

export function groupText(
  kind: AlertKind,
  crossings: Crossings,
  language: Language,
  listedMax: number = groupLimits.listedMax,
): GroupText {
  const { of, line, rest } = byLanguage[language]
  const [subject, text] = of[kind]
  const [first] = crossings
  const listed = crossings.slice(0, listedMax)
  const hidden = crossings.length - listed.length
  const values = { ...writtenValues(first, forPeople), count: numberText(crossings.length) }
  return {
    subject: fillText(subject, values),
    text: fillText(text, values),
    lines: listed.map((crossing) => {
      const { subject: id } = crossing
      const ofOne = { ...writtenValues(crossing, forPeople), subject: id }
      return fillText(line[textNameOf(kind, crossing)], ofOne)
    }),
    rest: hidden > 0 ? fillText(rest, { rest: numberText(hidden) }) : undefined,
  }
}

/** The label of the link to an alert, and what a text says without the link. */
export function placeTexts(language: Language): Pick<GroupTexts, 'link' | 'page'> {
  return byLanguage[language]
}

function numberText(count: number): string {
  return count.toLocaleString('en-US')
}
