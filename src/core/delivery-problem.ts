/*
 * Why an email or a webhook was not delivered. The list of messages stores the text; the browser finds the problem in
 * it and has its own text in the user's language. Braces are placeholders.
 */
export const deliveryProblemTexts = {
  no_mail_server: 'No mail server is configured. Set smtpHost and smtpFrom.',
  alert_deleted: 'The alert was deleted.',
  alert_disabled: 'The alert was disabled.',
  no_recipient: 'No recipient of the alert is a verified member of its account. Enter another one.',
  recipient_removed: '{email} is no longer a recipient of the alert.',
  unreadable: 'The stored message cannot be decrypted.',
  late: '{host} did not answer in time.',
  not_public:
    '{host} is not at a public address. An operator can allow this with privateWebhooks: on.',
  unreachable: '{host} cannot be reached.',
  redirected: '{host} answered HTTP {status}. Redirects are not followed; enter the final URL.',
  status: '{host} answered HTTP {status}.',
  login_rejected:
    '{host} rejected the user or password ({words}). Check smtpUser and smtpPassword.',
  refused: '{host} answered {words}',
  not_sent: 'Cannot send through {host}: {words}',
  mail_trouble:
    'The mail server of the gateway does not work. An administrator sees the reason in the list of messages.',
} as const

export type DeliveryProblem = keyof typeof deliveryProblemTexts
type DeliveryValues = Readonly<Record<string, string | number>>

/** The words of another server can have any length. They are cut here: a text without its end is not recognised. */
const wordsMax = 200

export function deliveryText(problem: DeliveryProblem, values: DeliveryValues = {}): string {
  return deliveryProblemTexts[problem].replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = String(values[name] ?? place)
    return name === 'words' ? value.slice(0, wordsMax) : value
  })
}

/** Undefined for a text of another version, or one that was cut. */
export function readDeliveryText(
  text: string,
): { readonly problem: string; readonly values: DeliveryValues } | undefined {
  for (const [problem, words] of Object.entries(deliveryProblemTexts)) {
    const found = patternOf(words).exec(text)
    if (found) return { problem, values: { ...found.groups } }
  }
  return undefined
}

/** Only the words of a server have spaces. */
function patternOf(words: string): RegExp {
  const literal = words.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(
    `^${literal.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${name === 'words' ? '.*' : '\\S+?'})`)}$`,
    'u',
  )
}
