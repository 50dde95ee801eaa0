import { z } from 'zod'
import { statementAnswer } from './billing.ts'
import { overviewPeriods, seriesDimensions, seriesSteps } from './choices.ts'
import { day, exportFormat, parameter, query, search, word } from './inputs.ts'
import { catalogueAnswer, playgroundOptions } from './models.ts'
import { accounts, type OperationTable, oneAccount } from './operation.ts'
import { overviewAnswer } from './overview.ts'
import { cursor, limit, pageRows } from './paging.ts'
import { usageAnswer, usageFacets, usageSeries, usageStory, usageTotals } from './usage.ts'
import { usageParameters } from './usage-query.ts'

const plays = { who: 'member', owns: 'path-key', role: 'member' } as const
/** Parameters of the gateway's path. */
const anything = z.record(z.string(), z.string())

/** Overview, request log, catalogue, statement, and the playground. */
export const usageOperations = {
  'GET /overview': {
    ...accounts,
    summary: 'How accounts stand, and what a period has brought',
    query: query({
      account: parameter,
      period: word(overviewPeriods),
      by: word(seriesDimensions),
    }),
    answer: overviewAnswer,
  },
  'GET /usage': {
    ...accounts,
    summary: 'List requests, the newest first',
    query: query({ ...usageParameters, limit: limit(pageRows.usage) }),
    answer: usageAnswer,
  },
  'GET /usage/totals': {
    ...accounts,
    summary: 'Add requests up',
    query: query(usageParameters),
    answer: usageTotals,
  },
  'GET /usage/series': {
    ...accounts,
    summary: 'Add requests up over time',
    query: query({ ...usageParameters, by: word(seriesDimensions), step: word(seriesSteps) }),
    answer: usageSeries,
  },
  'GET /usage/facets': {
    ...accounts,
    summary: 'What requests can be narrowed to',
    query: query({ account: parameter }),
    answer: usageFacets,
  },
  'GET /usage/export': {
    ...accounts,
    summary: 'Requests as a file of comma-separated values or JSON lines',
    query: query({ ...usageParameters, format: exportFormat }),
    answer: null,
  },
  'GET /usage/{id}': {
    who: 'member',
    owns: 'path-request',
    summary: 'All that is known of a request',
    answer: usageStory,
  },
  'GET /models': {
    ...accounts,
    summary: 'List the models that keys can be allowed to call',
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
    summary: 'Which keys can be tried out, and what each can call',
    query: query({ account: parameter }),
    answer: playgroundOptions,
  },
  'GET /playground/{id}/{rest}': {
    ...plays,
    summary: 'Ask the gateway as a key',
    query: anything,
    answer: null,
  },
  'POST /playground/{id}/{rest}': {
    ...plays,
    summary: 'Send a request to the gateway as a key',
    query: anything,
    answer: null,
  },
  'GET /billing': {
    ...oneAccount,
    summary: 'The statement of an account',
    query: query({ account: parameter, from: day, to: day }),
    answer: statementAnswer,
  },
} as const satisfies OperationTable
