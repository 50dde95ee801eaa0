import {
  fillPlaceholders,
  isProblem,
  type ProblemValues,
  type ValueProblem,
  valueProblemTexts,
  valuesOf,
} from '../fields/problems.ts'
import {
  type FieldProblem,
  fieldProblemTexts,
  type StateProblem,
  stateProblemTexts,
} from './contract/refusal-texts.ts'
import type { ConsoleErrorCode } from './contract.ts'

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
  /** The member of the body or the parameter with the problem. */
  readonly field?: string
  /** The exact problem. The browser has a text for it. */
  readonly detail?: ValueProblem | FieldProblem | StateProblem
  readonly values?: ProblemValues
}

/** These codes need a detail: see `wrongField` and `refuse`. */
type DetailedCode =
  | 'invalid_request'
  | 'unprocessable'
  | 'unfit'
  | 'conflict'
  | 'in_use'
  | 'unavailable'

/** A refusal of the back end. It becomes a JSON response. */
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

/** A field does not match its schema. */
export function wrongField(
  field: string,
  detail: ValueProblem | FieldProblem,
  values: ProblemValues = {},
): ApiRefusal {
  return fieldRefusal('invalid_request', field, detail, values)
}

/** A field matches its schema but breaks a rule that no schema expresses, such as one about two fields. */
export function brokenRule(
  field: string,
  detail: ValueProblem | FieldProblem,
  values: ProblemValues = {},
): ApiRefusal {
  return fieldRefusal('unprocessable', field, detail, values)
}

/** A field is valid but does not fit the current state, such as the name of a missing resource. */
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
  const template = isProblem(detail) ? valueProblemTexts[detail] : fieldProblemTexts[detail]
  const message = `${field} ${fillPlaceholders(template, filled)}.`
  return new ApiRefusal(code, message, { field, detail, values: filled })
}

/** The current state does not allow the action. */
export function refuse(
  code: DetailedCode,
  detail: StateProblem,
  more: { readonly values?: ProblemValues; readonly field?: string } = {},
): ApiRefusal {
  return new ApiRefusal(code, fillPlaceholders(stateProblemTexts[detail], more.values ?? {}), {
    ...more,
    detail,
  })
}
