import { CommandProblem } from '../../app/command-problem.ts'
import type {
  AnswerOf,
  BodyOf,
  Operations,
  ParamsOf,
  QueryOf,
} from '../../console-api/contract/operations.ts'
import type { ProblemValues } from '../../fields/problems.ts'

interface AskOptions {
  /** The same request with the same key is carried out once. */
  readonly idempotencyKey?: string | undefined
  /** What to do when no answer comes. Absent: what is true of the method. */
  readonly ifLost?: string
  /** Takes as long as there is much to read. */
  readonly isLong?: true
}

/** What an operation is asked with. */
export type Ask<Name extends keyof Operations> = AskOptions &
  ([keyof ParamsOf<Name>] extends [never] ? { readonly id?: never } : { readonly id: string }) &
  ([QueryOf<Name>] extends [never]
    ? { readonly query?: never }
    : { readonly query?: QueryOf<Name> | undefined }) &
  ([BodyOf<Name>] extends [never] ? { readonly body?: never } : { readonly body: BodyOf<Name> })

/** The gateway that a command is about: the database of this machine, or one elsewhere. */
export interface GatewayClient {
  /** Where people reach it; undefined when that cannot be told from here. */
  readonly url: string | undefined
  /** Throws a `GatewayRefusal` when the gateway does not do it. */
  call<Name extends keyof Operations>(name: Name, ask: Ask<Name>): Promise<AnswerOf<Name>>
  /** The same for an operation that answers with a file. */
  text<Name extends keyof Operations>(name: Name, ask: Ask<Name>): Promise<string>
}

/** Why the gateway does not do what it was asked: one sentence. */
export class GatewayRefusal extends CommandProblem {
  readonly code: string
  /** What exactly is wrong. */
  readonly detail: string | undefined
  readonly field: string | undefined
  readonly values: ProblemValues
  readonly requestId: string | undefined

  constructor(
    sentence: string,
    told: {
      readonly code: string
      readonly detail?: string | undefined
      readonly field?: string | undefined
      readonly values?: ProblemValues | undefined
      readonly requestId?: string | undefined
    },
  ) {
    super(told.requestId === undefined ? sentence : `${sentence} (request ${told.requestId})`)
    this.code = told.code
    this.detail = told.detail
    this.field = told.field
    this.values = told.values ?? {}
    this.requestId = told.requestId
  }
}

type Words = Readonly<Record<string, string | ((values: ProblemValues) => string)>>

/** For `catch`: says a refusal in words of the command line, by what exactly is wrong or by its code. */
export function saying(words: Words): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GatewayRefusal)) throw error
    const { code, detail, values } = error
    const said = words[detail ?? code] ?? words[code]
    if (said === undefined) throw error
    throw new GatewayRefusal(typeof said === 'string' ? said : said(values), error)
  }
}

export function isRefusedAs(error: unknown, code: string): error is GatewayRefusal {
  return error instanceof GatewayRefusal && error.code === code
}
