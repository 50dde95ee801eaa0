import {
  fillWords,
  isProblem,
  type ProblemValues,
  problemWords,
  type ValueProblem,
  valuesOf,
} from '../fields/problems.ts'
import type { ConsoleErrorCode } from './contract.ts'
import { type FieldProblem, fieldWords, type StateProblem, stateWords } from './refusal-words.ts'

const statusOf: Readonly<Record<ConsoleErrorCode, number>> = {
  invalid_request: 400,
  not_signed_in: 401,
  wrong_credentials: 401,
  code_needed: 401,
  wrong_code: 401,
  cross_site: 403,
  not_allowed: 403,
  reauthenticate: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  unfit: 409,
  unprocessable: 422,
  in_use: 409,
  link_spent: 410,
  request_too_large: 413,
  too_many_tries: 429,
  internal_error: 500,
  unavailable: 503,
  invalid_token: 401,
  address_not_allowed: 403,
  scope_missing: 403,
  idempotency_key_reused: 422,
  precondition_failed: 412,
}

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>
  /** The member of the body, or the parameter, that is wrong. */
  readonly field?: string
  /** What exactly is wrong: the browser has words for it. */
  readonly detail?: ValueProblem | FieldProblem | StateProblem
  readonly values?: ProblemValues
}

/** These tell nothing by themselves, so they carry what is wrong: see `wrongField` and `refuse`. */
type DetailedCode =
  | 'invalid_request'
  | 'unprocessable'
  | 'unfit'
  | 'conflict'
  | 'in_use'
  | 'unavailable'

/** Why the console's back end does not do what it was asked; becomes a JSON body at the edge. */
export class ApiRefusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ConsoleErrorCode
  readonly status: number
  readonly details: RefusalDetails

  constructor(
    code: Exclude<ConsoleErrorCode, DetailedCode>,
    message: string,
    details?: RefusalDetails,
  )
  constructor(
    code: DetailedCode,
    message: string,
    details: RefusalDetails & Required<Pick<RefusalDetails, 'detail'>>,
  )
  constructor(code: ConsoleErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.status = statusOf[code]
    this.details = details
  }
}

/** A field that is not as its schema says. */
export function wrongField(
  field: string,
  detail: ValueProblem | FieldProblem,
  values: ProblemValues = {},
): ApiRefusal {
  return fieldRefusal('invalid_request', field, detail, values)
}

/** A field as its schema says that breaks a rule which no schema tells, such as one about two fields together. */
export function brokenRule(
  field: string,
  detail: ValueProblem | FieldProblem,
  values: ProblemValues = {},
): ApiRefusal {
  return fieldRefusal('unprocessable', field, detail, values)
}

/** A field that is good by itself and does not fit what is there, such as a name of nothing, or the time. */
export function unfitField(
  field: string,
  detail: ValueProblem | FieldProblem,
  values: ProblemValues = {},
): ApiRefusal {
  return fieldRefusal('unfit', field, detail, values)
}

function fieldRefusal(
  code: DetailedCode,
  field: string,
  detail: ValueProblem | FieldProblem,
  values: ProblemValues,
): ApiRefusal {
  const filled = isProblem(detail) ? valuesOf(detail, values) : values
  const words = isProblem(detail) ? problemWords[detail] : fieldWords[detail]
  const message = `${field} ${fillWords(words, filled)}.`
  return new ApiRefusal(code, message, { field, detail, values: filled })
}

/** What cannot be done as things are. */
export function refuse(
  code: DetailedCode,
  detail: StateProblem,
  more: { readonly values?: ProblemValues; readonly field?: string } = {},
): ApiRefusal {
  return new ApiRefusal(code, fillWords(stateWords[detail], more.values ?? {}), { ...more, detail })
}
