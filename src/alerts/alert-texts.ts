import { dollarText, roundedDollarText } from '../core/money/money.ts'
import type { Language } from '../core/text/language.ts'
import { type Crossing, type ValueWriter, writtenValues } from './alert-source.ts'
import type { AlertKind } from './definition/alert.ts'

export interface AlertText {
  readonly subject: string
  /** Each text says what happened and what to do. */
  readonly text: string
}

/** A kind has several texts if its conditions have variants. */
export type TextName = AlertKind | `budget_low_${NonNullable<Crossing['variant']>}`

type Texts = Readonly<Record<TextName | 'test', readonly [subject: string, text: string]>>

/* Names in braces are the values and amounts of a crossing; `subject` is its id. */

const en: Texts = {
  credit_low: [
    'Low credit: {account}',
    'The balance of the account {account} is {balance}, below {threshold}. Add credit: requests are rejected when the balance runs out.',
  ],
  budget_low: [
    'Low budget: {owner}',
    '{owner} (account {account}) has spent {spent} of the budget of {limit}. The budget resets at {resets}. To let requests continue until then, raise the budget.',
  ],
  budget_low_total: [
    'Low budget: {owner}',
    '{owner} (account {account}) has spent {spent} of the total budget of {limit}, which never resets. To let requests continue, raise the budget.',
  ],
  budget_low_ended: [
    'Budget was low: {owner}',
    '{owner} (account {account}) had spent {spent} of the budget of {limit} when the period ended at {resets}. A new period has begun. If this happens often, raise the budget.',
  ],
  key_expiring: [
    'Key expires soon: {key}',
    'The key {key} of the account {account} expires at {expires}. Extend the key or replace it.',
  ],
  spend_unusual: [
    'Unusual spend: {account}',
    'The account {account} has spent {spend} on {day} (UTC), more than {factor} times its usual {usual} a day. Check the request log.',
  ],
  upstream_down: [
    'Upstream down: {subject}',
    'Requests to the upstream {subject} keep failing, so the gateway has stopped sending them there. Models with another route are still served. Check the upstream.',
  ],
  credential_rejected: [
    'Credential rejected: {detail}',
    'The upstream rejects the credential {detail}, so the gateway does not use the credential for now. Enter a new credential.',
  ],
  ledger_finding: [
    'Ledger does not balance: {account}',
    'The self-audit has stopped the account {account}, because its ledger does not balance. Run "tollgate audit" and open the account in the console.',
  ],
  test: ['Test', 'The gateway can reach this webhook.'],
}

const zh: Texts = {
  credit_low: [
    '余额不足：{account}',
    '账户 {account} 的余额为 {balance}，低于 {threshold}。请及时充值，否则请求将被拒绝。',
  ],
  budget_low: [
    '预算不足：{owner}',
    '{owner}（账户 {account}）的预算为 {limit}，已用 {spent}。预算将于 {resets} 重置。如需在此之前继续使用，请提高预算。',
  ],
  budget_low_total: [
    '预算不足：{owner}',
    '{owner}（账户 {account}）的总预算为 {limit}，已用 {spent}。总预算不会重置。如需继续使用，请提高预算。',
  ],
  budget_low_ended: [
    '上一周期预算不足：{owner}',
    '{owner}（账户 {account}）的预算为 {limit}，在 {resets} 周期结束时已用 {spent}。新的周期已经开始。如果经常出现这种情况，请提高预算。',
  ],
  key_expiring: [
    '密钥即将过期：{key}',
    '账户 {account} 的密钥 {key} 将于 {expires} 过期。请延长有效期或更换密钥。',
  ],
  spend_unusual: [
    '消费异常：{account}',
    '账户 {account} 在 {day}（UTC）已消费 {spend}，超过日常 {usual} 的 {factor} 倍。请检查请求日志。',
  ],
  upstream_down: [
    '上游不可用：{subject}',
    '发往上游 {subject} 的请求持续失败，网关已暂停使用该上游。有其他路由的模型仍可使用。请检查该上游。',
  ],
  credential_rejected: [
    '凭据被拒绝：{detail}',
    '上游拒绝了凭据 {detail}，网关已暂停使用该凭据。请更换凭据。',
  ],
  ledger_finding: [
    '账目不平：{account}',
    '账户 {account} 的账目不平，账目自检已暂停该账户。请运行 tollgate audit，并在控制台查看该账户。',
  ],
  test: ['测试', '网关可以访问此 Webhook。'],
}

const byLanguage: Readonly<Record<Language, Texts>> = { en, zh }

export const forPeople: ValueWriter = {
  amount: roundedDollarText,
  limit: dollarText,
  time: (ms) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
}

export function alertText(
  kind: AlertKind | 'test',
  crossing: Crossing,
  language: Language,
): AlertText {
  const [title, text] = byLanguage[language][kind === 'test' ? kind : textNameOf(kind, crossing)]
  const values = { ...writtenValues(crossing, forPeople), subject: crossing.subject }
  return { subject: fillText(title, values), text: fillText(text, values) }
}

export function textNameOf(kind: AlertKind, { variant }: Crossing): TextName {
  return kind === 'budget_low' && variant !== undefined ? `${kind}_${variant}` : kind
}

export function fillText(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}
