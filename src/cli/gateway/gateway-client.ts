import { CommandProblem } from '../../app/command-problem.ts'
import type {
  AnswerOf,
  BodyOf,
  Operations,
  ParamsOf,
  QueryOf,
} from '../../console-api/contract/operations/operations.ts'
import type { ProblemValues } from '../../fields/problems.ts'

interface OperationOptions {
  /** The gateway executes a request with the same key only once. */
  readonly idempotencyKey?: string | undefined
  /** The advice when no answer arrives. Absent: the usual advice for the method. */
  readonly ifLost?: string
  /** The operation may take long because it reads a lot. */
  readonly isLong?: true
}

/** The arguments of an operation. */
export type OperationArguments<Name extends keyof Operations> = OperationOptions &
  ([keyof ParamsOf<Name>] extends [never] ? { readonly id?: never } : { readonly id: string }) &
  ([QueryOf<Name>] extends [never]
    ? { readonly query?: never }
    : { readonly query?: QueryOf<Name> | undefined }) &
  ([BodyOf<Name>] extends [never] ? { readonly body?: never } : { readonly body: BodyOf<Name> })

/** The gateway that a command addresses: the database of this machine, or a remote gateway. */
export interface GatewayClient {
  /** The URL at which people reach the gateway; undefined if it is not known here. */
  readonly url: string | undefined
  /** Throws a `GatewayRefusal` when the gateway refuses the operation. */
  call<Name extends keyof Operations>(
    name: Name,
    given: OperationArguments<Name>,
  ): Promise<AnswerOf<Name>>
  /** The same for an operation that returns a file. */
  text<Name extends keyof Operations>(name: Name, given: OperationArguments<Name>): Promise<string>
}

/** Why the gateway refuses an operation: one sentence. */
export class GatewayRefusal extends CommandProblem {
  readonly code: string
  /** The code of the exact problem. */
  readonly detail: string | undefined
  readonly field: string | undefined
  readonly values: ProblemValues
  readonly requestId: string | undefined

  constructor(
    sentence: string,
    error: {
      readonly code: string
      readonly detail?: string | undefined
      readonly field?: string | undefined
      readonly values?: ProblemValues | undefined
      readonly requestId?: string | undefined
    },
  ) {
    super(error.requestId === undefined ? sentence : `${sentence} (request ${error.requestId})`)
    this.code = error.code
    this.detail = error.detail
    this.field = error.field
    this.values = error.values ?? {}
    this.requestId = error.requestId
  }
}

type RefusalTexts = Readonly<Record<string, string | ((values: ProblemValues) => string)>>

/** For `catch`: rewords a refusal for the command line, by its detail or its code. */
export function rewordRefusal(texts: RefusalTexts): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GatewayRefusal)) throw error
    const { code, detail, values } = error
    const text = texts[detail ?? code] ?? texts[code]
    if (text === undefined) throw error
    throw new GatewayRefusal(typeof text === 'string' ? text : text(values), error)
  }
}

export function isRefusedAs(error: unknown, code: string): error is GatewayRefusal {
  return error instanceof GatewayRefusal && error.code === code
}
