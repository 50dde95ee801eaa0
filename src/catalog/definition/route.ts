import { z } from 'zod'
import {
  define,
  type GivenOf,
  optional,
  required,
  type ValuesOf,
  type WireOf,
} from '../../fields/definition.ts'
import { type Kind, orNull, shownOf } from '../../fields/kind.ts'
import { countKind, idKind, nameKind } from '../../fields/kinds.ts'
import { objectKind } from '../../fields/object-kind.ts'
import { problemMessage, routesMax } from '../../fields/problems.ts'
import { modelDefinition, newPriceDefinition } from './model.ts'
import { policyKind } from './policy.ts'

const by = 'operator'

/** A route from a group and a model to an upstream. The file lists routes under their upstream. */
export const routeDefinition = define('route', {
  group: required(idKind, { file: null, about: 'The group of the route.', by }),
  model: required(idKind, { file: 'id', about: 'The model that clients request.', by }),
  upstream: required(idKind, { file: null, about: 'The upstream that serves the request.', by }),
  upstreamModel: required(nameKind, {
    file: 'as',
    about: 'The upstream’s name of the model.',
    by,
    sameAs: 'model',
  }),
  priority: optional(countKind(0), 0, { about: 'Routes with a lower number are tried first.', by }),
  weight: optional(countKind(0), 1, {
    about: 'Share of requests among routes of the same priority.',
    by,
  }),
  parameters: optional(orNull(policyKind), null, {
    about: 'Changes to the requests of this route. They override those of the upstream.',
    by,
  }),
})

const routeKind = objectKind(routeDefinition.fields)

const routeList = z
  .array(routeKind.wire, { error: problemMessage('list_wrong') })
  .max(routesMax, { error: problemMessage('list_long', { max: routesMax }) })

/** The config file has no such list. */
const routesKind: Kind<readonly RouteSettings[], readonly WireOf<typeof routeDefinition>[]> = {
  entry: 'object',
  wire: routeList,
  written: routeList,
  shown: z.array(shownOf(routeKind)).readonly(),
  show: (routes) => routes.map(routeKind.show),
  write: (routes) => routes.map(routeKind.show),
}

/** All routes of a model, a group or an upstream. */
export const routesDefinition = define('routes', {
  routes: required(routesKind, {
    about: 'The complete list. Routes that are not in it are removed.',
    by,
  }),
})

const { group, model, upstream, upstreamModel } = routeDefinition.fields
const { displayName, maxOutputTokens } = modelDefinition.fields

/** A model with its price and its first route. */
export const routedModelDefinition = define('routed model', {
  group,
  upstream,
  model,
  upstreamModel,
  displayName: { ...displayName, sameAs: 'model' },
  maxOutputTokens,
  price: newPriceDefinition.fields.price,
})

export type GivenRoute = GivenOf<typeof routeDefinition>
export type RouteSettings = ValuesOf<typeof routeDefinition>
