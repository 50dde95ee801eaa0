import type { z } from 'zod'

/** One thing that can be configured, and all that loader, help text and documentation must know about it. */
export interface Setting<Value> {
  /** In the file. */
  readonly name: string
  /** As an environment variable. */
  readonly variable: string
  /** As a flag, without its dashes. */
  readonly flag: string
  /** What stands for the value in help texts, such as `HOST:PORT`. */
  readonly placeholder: string
  /** As it would be written; undefined when the setting is absent by default. */
  readonly byDefault: string | undefined
  /** How the value is shown to people; absent means as it is written. */
  readonly mask?: (text: string) => string
  /** May be written as env:NAME in the file. */
  readonly isSecret?: true
  readonly description: string
  /** Takes text, or in the file also numbers and lists. Its messages read on from the setting's name. */
  readonly schema: z.ZodType<Value>
}
