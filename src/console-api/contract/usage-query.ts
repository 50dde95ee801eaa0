import type { z } from 'zod'
import { saysHere } from '../refusal-words.ts'
import { flagParameter, moment, nano, parameter, query, shaped } from './inputs.ts'

const requestId = shaped(/^[\w.:-]{1,128}$/, saysHere('request_id_wrong'))

/**
 * What the log is narrowed to; the same parameters for the list, the totals, the series and the export. Absent or
 * empty: no restriction. Without `account` all accounts that the user may see.
 */
export const usageParameters = {
  account: parameter,
  key: requestId,
  model: parameter,
  protocol: parameter,
  group: parameter,
  /** An HTTP status, `error` for whatever did not end well, or `ok`. */
  status: shaped(/^(?:[1-5]\d\d|error|ok)$/, saysHere('status_wrong')).transform(
    (given): number | 'error' | 'ok' =>
      given === 'error' || given === 'ok' ? given : Number(given),
  ),
  stream: flagParameter,
  /** `to` is not included. */
  from: moment,
  to: moment,
  /** Nano; both are included. */
  minCost: nano,
  maxCost: nano,
  /** A request id, or how one begins. */
  request: shaped(/^[0-9a-f-]{1,36}$/i, saysHere('id_start_wrong')).transform((given) =>
    given.toLowerCase(),
  ),
  /** `next` of the page before. */
  before: requestId,
}

const usageQuery = query(usageParameters)
/** As the browser sends it. */
export type UsageQuery = Omit<z.input<typeof usageQuery>, 'before'>
/** As the back end has read it. */
export type ReadUsageQuery = z.output<typeof usageQuery>
