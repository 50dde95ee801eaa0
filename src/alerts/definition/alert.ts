import { channels } from '../../core/message-state.ts'
import { languages } from '../../core/text/language.ts'
import {
  define,
  type EditOf,
  maybe,
  optional,
  required,
  type ValuesOf,
} from '../../fields/definition.ts'
import { describedWebhook } from '../../fields/described-patterns.ts'
import { enumKind, listOf, orNull, textKind } from '../../fields/kind.ts'
import {
  chosenSecretKind,
  countKind,
  emailKind,
  flagKind,
  idKind,
  moneyKind,
  nameKind,
  urlCharactersMax,
  webPattern,
} from '../../fields/kinds.ts'
import { alertEmailsMax, type ValueProblem } from '../../fields/problems.ts'

/** Kinds that an account can report about itself, then those that only operators see. */
export const accountAlertKinds = [
  'credit_low',
  'budget_low',
  'key_expiring',
  'spend_unusual',
] as const
export const alertKinds = [
  ...accountAlertKinds,
  'upstream_down',
  'credential_rejected',
  'ledger_finding',
] as const
export type AlertKind = (typeof alertKinds)[number]

const kindsKind = listOf(enumKind(alertKinds), {
  min: 1,
  max: alertKinds.length,
  none: 'alert_kinds_wrong',
  many: 'alert_kinds_wrong',
})
const emailsKind = listOf(emailKind, { max: alertEmailsMax, many: 'list_long' })
const webhookKind = textKind('webhook_wrong', {
  pattern: webPattern,
  described: describedWebhook,
  max: urlCharactersMax,
  isGood: isWebhookUrl,
})

const daysMax = 365
const factorMax = 1_000

/** A URL that may contain a query, but no user and no fragment. */
function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + hash === ''
}

/** The settings of an alert: what to report, and where. */
export const alertDefinition = define('alert', {
  accountId: optional(orNull(idKind), null, {
    file: 'account',
    about: 'The account that the alert is about; without it, the whole gateway.',
    by: 'owner',
    isFixed: true,
  }),
  name: required(nameKind, { about: 'What the alert is for.', by: 'owner' }),
  channel: required(enumKind(channels), {
    about: 'email, webhook, or slack for a Slack-compatible webhook.',
    by: 'owner',
    isFixed: true,
  }),
  emails: optional(emailsKind, [], {
    option: 'email',
    about: 'Recipient of the channel email. Of an alert for one account: a verified member.',
    by: 'owner',
  }),
  // On the command line, --url and --secret are about the gateway itself.
  url: maybe(webhookKind, {
    option: 'webhook-url',
    about: 'The URL of the webhook.',
    by: 'owner',
    isSecret: true,
  }),
  secret: maybe(chosenSecretKind, {
    option: 'signing-secret',
    about: 'The secret that signs the requests of the channel webhook.',
    by: 'owner',
    isSecret: true,
  }),
  kinds: required(kindsKind, {
    option: 'kind',
    about: `Condition to report: ${alertKinds.join(', ')}.`,
    by: 'owner',
  }),
  creditBelowNano: optional(moneyKind, 5_000_000_000n, {
    file: 'creditBelow',
    about: 'credit_low: report a balance below this amount.',
    by: 'owner',
  }),
  keyExpiryDays: optional(countKind(1, daysMax), 7, {
    about: 'key_expiring: report a key this many days before it expires.',
    by: 'owner',
  }),
  spendFactor: optional(countKind(2, factorMax), 3, {
    about:
      'spend_unusual: report a day that costs more than this many times the usual spend: the median of the last 14 days, or the same day a week ago.',
    by: 'owner',
  }),
  spendFloorNano: optional(moneyKind, 10_000_000_000n, {
    file: 'spendFloor',
    about: 'spend_unusual: report no day that costs less than this amount.',
    by: 'owner',
  }),
  language: optional(enumKind(languages), 'en', {
    about:
      'The language of the texts: en or zh. A recipient of the channel email who is a user gets their own language.',
    by: 'owner',
  }),
  isEnabled: optional(flagKind, true, {
    file: 'enabled',
    about: 'Whether the alert reports anything.',
    by: 'owner',
  }),
})

export type AlertValues = ValuesOf<typeof alertDefinition>
export type AlertEdit = EditOf<typeof alertDefinition>

export interface AlertProblem {
  readonly field: keyof AlertValues
  readonly problem: ValueProblem
}

/**
 * The rules about several fields. `hasUrl` and `hasSecret` tell whether a changed alert already has them: a stored
 * secret is not sent again.
 */
export function alertProblem(
  values: Pick<AlertValues, 'accountId' | 'channel' | 'emails' | 'url' | 'secret' | 'kinds'>,
  stored: { readonly hasUrl: boolean; readonly hasSecret: boolean } = {
    hasUrl: false,
    hasSecret: false,
  },
): AlertProblem | undefined {
  const { accountId, channel, emails, url, secret, kinds } = values
  const isEmail = channel === 'email'
  if (isEmail && emails.length === 0) return { field: 'emails', problem: 'alert_emails_needed' }
  if (!isEmail && emails.length > 0) return { field: 'emails', problem: 'alert_field_unused' }
  if (isEmail && url !== undefined) return { field: 'url', problem: 'alert_field_unused' }
  if (!isEmail && url === undefined && !stored.hasUrl)
    return { field: 'url', problem: 'alert_url_needed' }
  if (channel !== 'webhook' && secret !== undefined)
    return { field: 'secret', problem: 'alert_field_unused' }
  if (channel === 'webhook' && secret === undefined && !stored.hasSecret)
    return { field: 'secret', problem: 'alert_secret_needed' }
  const isOperators = kinds.some((kind) => !accountAlertKinds.some((each) => each === kind))
  if (accountId !== null && isOperators) return { field: 'kinds', problem: 'alert_kinds_operator' }
  return undefined
}
