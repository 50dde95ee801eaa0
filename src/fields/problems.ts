import { headerTextCharactersMax } from '../core/upstreams/parameter-rules.ts'

/*
 * The problems of a field value, by code. The schemas carry the code in place of a message, so that every interface has
 * its own texts: the file, the command line and the APIs use the texts below; the browser uses texts in the reader's
 * language. Each text continues a sentence that begins with the field's name; values replace the names in braces.
 */

export const nameCharactersMax = 200
export const idCharactersMax = 128
export const passwordCharactersMin = 12
export const passwordCharactersMax = 256
export const keyValueCharactersMin = 20
export const keyValueCharactersMax = 512
export const addressesMax = 100
export const groupsMax = 20
export const modelsMax = 1_000
export const longPromptsMax = 20
export const accountsMax = 2_000
export const plannedPricesMax = 100
export const countMax = 1_000_000_000
export const grantsMax = 10_000
export const routesMax = 2_000
export const alertEmailsMax = 20
/** No caller waits longer than a day for an answer, and timers have a limit too. */
export const waitMsMax = 24 * 60 * 60_000
export const featureDollarsMax = 1_000_000
export const featureFactorMax = 1_000

/** Rules: what a value must be. The value itself can follow, as in `must be true or false, not "yes"`. */
const ruleTexts = {
  name_wrong: 'must be a name of 1 to {max} characters on one line',
  text_hidden:
    'must not have invisible characters or characters that change the direction of the text',
  id_wrong: 'must be 1 to {max} letters, digits or . _ : @ / + -, starting with a letter or digit',
  user_wrong: 'must be the email address or the id of a user',
  email_wrong: 'must be an email address',
  password_short: 'must have at least {min} characters',
  password_long: 'must have at most {max} characters',
  address_wrong: 'must be an IP address or network such as 10.0.0.0/8 or ::1',
  single_address_wrong: 'must be one IP address such as 10.0.0.1 or ::1',
  amount_wrong: 'must be an amount in US$ such as 5.00, not negative, with at most nine decimals',
  nano_wrong: 'must be whole nano-US-dollars as text, such as "5000000000" for $5',
  amount_zero: 'must be greater than zero',
  credit_wrong: 'must be an amount in US$ such as 5.00 or -5.00, with at most nine decimals',
  expiry_past: 'must be in the future',
  instant_wrong: 'must be a date such as 2027-01-01, or a time such as 2027-01-01T00:00:00Z',
  groups_none: 'must name at least one group',
  groups_many: 'must name at most {max} groups, each once',
  models_many: 'must name at most {max} models, each once',
  accounts_many: 'must name at most {max} accounts, each once',
  scopes_wrong: 'must name at least one scope, each once',
  factor_wrong: 'must be a factor such as 1.5, not negative, with at most six decimals',
  feature_price_wrong: `must be an amount in US$ such as 0.01, at most {max}, or null for no price`,
  feature_factor_wrong: 'must be a factor such as 2, at most {max}, or null for no price',
  accounts_wrong: 'must be a list of accounts, or all',
  accounts_twice: 'must name each account once',
  model_limits_wrong: 'must be a list of models with their limits',
  model_limits_twice: 'must name each model once',
  fallbacks_wrong: 'must be an object of lists of models',
  url_wrong: 'must be an http:// or https:// URL without user, query or fragment',
  proxy_wrong: 'must be an http:// URL such as http://user:password@proxy.example.com:3128',
  credential_wrong: 'must be printable text without spaces',
  alert_kinds_wrong: 'must name at least one kind of alert, each once',
  alert_emails_needed: 'must name at least one recipient for the channel email',
  webhook_wrong: 'must be an http:// or https:// URL without user or fragment',
  key_value_wrong: 'must be {min} to {max} printable characters without spaces',
  app_code_wrong: 'must be the six digits of the authenticator app',
  code_wrong: 'must be the six digits of the authenticator app, or a recovery code',
  moments_twice: 'must use each time only once',
  zone_wrong: 'must be a time zone such as UTC or Europe/Paris',
  count_wrong: 'must be a whole number from {min} to {max}',
  steps_wrong: 'must have at most {max} tiers, each with a different length',
  wait_wrong: 'must be a number of milliseconds from {min} to {max}',
  certificates_wrong: 'must be one or more PEM certificates',
  fields_wrong: 'must be an object of fields',
  bounds_wrong: 'must be a minimum and a maximum, such as [0, 1]',
  bound_wrong: 'must be a number, or null for none',
  policy_field:
    'must be a field such as temperature, or a nested field such as generationConfig.topK',
  policy_object: 'must keep the field inside the same object',
  policy_order: 'must have a minimum that does not exceed the maximum',
  policy_header: 'must be a valid header name',
  policy_header_text: 'must be printable text of at most {max} characters',
  text_wrong: 'must be text',
  text_long: 'must be text of 1 to {max} characters',
  text_plain: 'must be plain text',
  flag_wrong: 'must be true or false',
  number_wrong: 'must be a whole number',
  word_wrong: 'must be one of {words}',
  list_wrong: 'must be a list',
  list_long: 'must have at most {max} entries, each once',
  object_wrong: 'must be an object',
} as const satisfies Readonly<Record<string, `must ${string}`>>

/** Findings: what is wrong with a value. Nothing follows. */
const findingTexts = {
  fallback_self: 'names "{model}" as its own fallback; choose another model',
  alert_kinds_operator: 'names a kind that only an alert for the whole gateway can report',
  alert_email_stranger: 'names "{email}", which is not a verified member of the account',
  alert_url_needed: 'is required for this channel',
  alert_secret_needed: 'is required for the channel webhook',
  alert_field_unused: 'is not used by this channel; remove it',
  policy_own:
    'cannot change "{field}": the gateway needs it to price and read the response; remove this rule',
  policy_cost:
    'could make a response cost more than the reserved amount; lower the limit with clamp instead',
  policy_background: 'cannot be set: the gateway cannot bill background responses; remove it',
  policy_dropped: 'removes "{field}", which another rule changes; keep one of them',
  policy_renamed: 'uses the name "{field}", which another rule already uses; keep one of them',
  policy_credential: 'cannot be set: add credentials to the upstream’s credentials instead',
  policy_connection: 'cannot be set: the connection sets this header; remove it',
  member_unknown: 'has no member {name}',
  value_wrong: 'is not valid',
} as const

export const valueProblemTexts = { ...ruleTexts, ...findingTexts }

export type ValueProblem = keyof typeof valueProblemTexts
/** The values for the names in braces. */
export type ProblemValues = Readonly<Record<string, string | number>>

/** Limits that are the same wherever the problem occurs. */
export const problemLimits: Readonly<Partial<Record<ValueProblem, ProblemValues>>> = {
  name_wrong: { max: nameCharactersMax },
  id_wrong: { max: idCharactersMax },
  password_short: { min: passwordCharactersMin },
  password_long: { max: passwordCharactersMax },
  key_value_wrong: { min: keyValueCharactersMin, max: keyValueCharactersMax },
  groups_many: { max: groupsMax },
  models_many: { max: modelsMax },
  accounts_many: { max: accountsMax },
  feature_price_wrong: { max: featureDollarsMax },
  feature_factor_wrong: { max: featureFactorMax },
  count_wrong: { max: countMax },
  steps_wrong: { max: longPromptsMax },
  policy_header_text: { max: headerTextCharactersMax },
}

/** Adds the fixed limits of the problem. */
export function valuesOf(problem: ValueProblem, values: ProblemValues = {}): ProblemValues {
  return { ...problemLimits[problem], ...values }
}

/** The text of a problem for the file, the command line and the APIs. */
export function problemText(problem: ValueProblem, values?: ProblemValues): string {
  return fillPlaceholders(valueProblemTexts[problem], valuesOf(problem, values))
}

/** Whether the text of the problem is a rule, which the value can follow. */
export function isRule(problem: ValueProblem): boolean {
  return Object.hasOwn(ruleTexts, problem)
}

export function isProblem(text: string): text is ValueProblem {
  return Object.hasOwn(valueProblemTexts, text)
}

export function fillPlaceholders(template: string, values: ProblemValues): string {
  return template.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
}

/**
 * Marks an issue of a rule that JSON Schema cannot express: the request matches its description, but cannot be
 * executed.
 */
export const outsideSchema = { isOutsideSchema: true } as const

/**
 * A problem in place of a schema's message, such as `count_wrong?min=1`; `readProblemMessage` parses it. A list is
 * written as a repeated value.
 */
export function problemMessage(
  problem: ValueProblem,
  values?: Readonly<Record<string, ProblemValues[string] | readonly string[]>>,
): string {
  if (values === undefined) return problem
  const filled = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const each of typeof value === 'object' ? value : [value]) {
      filled.append(name, String(each))
    }
  }
  return `${problem}?${filled.toString()}`
}

interface SaidValues {
  readonly values: ProblemValues
  /** The words or names that are allowed, one by one; `values` has them as text. */
  readonly words: readonly string[]
}

export function readProblemMessage(
  message: string,
): (SaidValues & { readonly problem: ValueProblem }) | undefined {
  const { code, values, words } = readMessage(message)
  return isProblem(code) ? { problem: code, values: valuesOf(code, values), words } : undefined
}

/** Like `readProblemMessage`, for codes of any vocabulary. */
export function readMessage(message: string): SaidValues & { readonly code: string } {
  const [code = '', filled] = message.split('?', 2)
  const said = new URLSearchParams(filled)
  const values = [...new Set(said.keys())].map((name) => {
    const text = said.getAll(name).join(', ')
    return [name, limitNames.has(name) ? Number(text) : text]
  })
  return { code, values: Object.fromEntries(values) as ProblemValues, words: said.getAll('words') }
}

const limitNames: ReadonlySet<string> = new Set(['min', 'max'])
