import { z } from 'zod'
import { statementAnswer } from '../billing.ts'
import { overviewPeriods, seriesDimensions, seriesSteps } from '../choices.ts'
import { day, exportFormat, oneOf, parameter, query, search } from '../inputs.ts'
import { catalogueAnswer, playgroundOptions } from '../models.ts'
import { overviewAnswer } from '../overview.ts'
import { cursor, limit, pageRows } from '../paging.ts'
import { usageAnswer, usageDetail, usageFacets, usageSeries, usageTotals } from '../usage.ts'
import { usageParameters } from '../usage-query.ts'
import { accounts, type OperationTable, oneAccount } from './operation.ts'

const plays = { who: 'member', owns: 'path-key-value', role: 'member' } as const
/** Parameters of the gateway's path. */
const anything = z.record(z.string(), z.string())

/** Overview, request log, catalogue, statement, and the playground. */
export const usageOperations = {
  'GET /overview': {
    ...accounts,
    summary: 'Get balances, and totals for a period',
    query: query({
      account: parameter,
      period: oneOf(overviewPeriods),
      by: oneOf(seriesDimensions),
    }),
    answer: overviewAnswer,
  },
  'GET /usage': {
    ...accounts,
    summary: 'List requests, newest first',
    query: query({ ...usageParameters, limit: limit(pageRows.usage) }),
    answer: usageAnswer,
  },
  'GET /usage/totals': {
    ...accounts,
    summary: 'Get totals of requests',
    query: query(usageParameters),
    answer: usageTotals,
  },
  'GET /usage/series': {
    ...accounts,
    summary: 'Get totals of requests over time',
    query: query({ ...usageParameters, by: oneOf(seriesDimensions), step: oneOf(seriesSteps) }),
    answer: usageSeries,
  },
  'GET /usage/facets': {
    ...accounts,
    summary: 'List the values that requests can be filtered by',
    query: query({ account: parameter }),
    answer: usageFacets,
  },
  'GET /usage/export': {
    ...accounts,
    summary: 'Export requests as CSV or JSON Lines',
    query: query({ ...usageParameters, format: exportFormat }),
    answer: null,
  },
  'GET /usage/{id}': {
    who: 'member',
    owns: 'path-request',
    summary: 'Get a request in detail',
    answer: usageDetail,
  },
  'GET /models': {
    ...accounts,
    summary: 'List the models that keys can call',
    query: query({
      account: parameter,
      search,
      after: cursor('text'),
      limit: limit(pageRows.catalogue),
    }),
    answer: catalogueAnswer,
  },
  'GET /playground/options': {
    ...accounts,
    summary: 'List keys for the playground and the models that each can call',
    query: query({ account: parameter }),
    answer: playgroundOptions,
  },
  'GET /playground/{id}/{rest}': {
    ...plays,
    summary: 'Send a GET request to the gateway as a key',
    query: anything,
    answer: null,
  },
  'POST /playground/{id}/{rest}': {
    ...plays,
    summary: 'Send a request to the gateway with a key',
    query: anything,
    answer: null,
  },
  'GET /billing': {
    ...oneAccount,
    summary: 'Get the statement of an account',
    query: query({ account: parameter, from: day, to: day }),
    answer: statementAnswer,
  },
} as const satisfies OperationTable
