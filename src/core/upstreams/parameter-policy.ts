/** The two names of the output limit in chat-completions servers. */
export const outputLimitNames = ['max_tokens', 'max_completion_tokens'] as const
export type OutputLimitName = (typeof outputLimitNames)[number]

/**
 * Changes to a request on its way to one upstream, in the field names of the upstream's protocol. A field is a member
 * of the body or, with a dot, a member of a member, such as `generationConfig.topK`.
 */
export interface ParameterPolicy {
  /** The old name of each field, with its new name. */
  readonly rename?: Readonly<Record<string, string>>
  readonly drop?: readonly string[]
  /** Minimum and maximum of a number; null leaves that side open. */
  readonly clamp?: Readonly<Record<string, readonly [number | null, number | null]>>
  /** Values for fields that the request does not have. */
  readonly default?: Readonly<Record<string, unknown>>
  /** The name of the output limit for this chat-completions server. */
  readonly outputLimit?: OutputLimitName
  /** Headers that are sent with each request, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}
