import type { z } from 'zod'
import { flagParameter, id, moment, nano, parameter, query, shaped } from './inputs.ts'
import { requestCursor } from './paging.ts'
import { consoleProblemMessage } from './refusal-texts.ts'

/**
 * Filters of the request log; the same for list, totals, series and export. Absent or empty: no restriction. Without
 * `account`: all accounts that the user may see.
 */
export const usageParameters = {
  account: parameter,
  key: id,
  /** The id of a user: only requests of keys that belong to this user. */
  user: id,
  model: parameter,
  protocol: parameter,
  group: parameter,
  /** An HTTP status, `error` for every failed request, or `ok`. */
  status: shaped(/^(?:[1-5]\d\d|error|ok)$/, consoleProblemMessage('status_wrong')).transform(
    (given): number | 'error' | 'ok' =>
      given === 'error' || given === 'ok' ? given : Number(given),
  ),
  stream: flagParameter,
  /** `to` is exclusive. */
  from: moment,
  to: moment,
  /** In nano-US-dollars, inclusive. */
  minCost: nano,
  maxCost: nano,
  /** A request id or its prefix. */
  request: shaped(/^[0-9a-f-]{1,36}$/i, consoleProblemMessage('id_start_wrong')).transform(
    (given) => given.toLowerCase(),
  ),
  before: requestCursor,
}

const usageQuery = query(usageParameters)
/** As sent by the browser. */
export type UsageQuery = Omit<z.input<typeof usageQuery>, 'before'>
/** As parsed by the back end. */
export type ReadUsageQuery = z.output<typeof usageQuery>
