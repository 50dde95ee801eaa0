/** The two names under which chat-completions servers take the limit of an answer. */
export const outputLimitNames = ['max_tokens', 'max_completion_tokens'] as const
export type OutputLimitName = (typeof outputLimitNames)[number]

/**
 * What is changed in a request on its way to one upstream, in the field names of the upstream's protocol. A field
 * is a member of the body, or by a dot a member of one, such as `generationConfig.topK`.
 */
export interface ParameterPolicy {
  /** The field's name, and the one it gets. */
  readonly rename?: Readonly<Record<string, string>>
  readonly drop?: readonly string[]
  /** The least and the most that a number may be; null leaves that side open. */
  readonly clamp?: Readonly<Record<string, readonly [number | null, number | null]>>
  /** Given to a field that the request does not have. */
  readonly default?: Readonly<Record<string, unknown>>
  /** The name under which a chat-completions server takes the limit of an answer. */
  readonly outputLimit?: OutputLimitName
  /** Sent with each request, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}
