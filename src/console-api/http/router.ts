import { Hono } from 'hono'
import { idCharacters, idPattern } from '../../fields/kinds.ts'
import { idCharactersMax } from '../../fields/problems.ts'
import type { ConsoleContext } from '../ports/console-parts.ts'
import { ApiRefusal } from '../refusal.ts'
import type { OperationRoute } from '../routes/route.ts'

/** A request with its route. */
export interface RoutedRequest {
  readonly route: OperationRoute
  readonly id: string
  readonly rest: string
  readonly request: Request
  readonly url: URL
  readonly context: ConsoleContext
  /** True for programs: an empty or repeated parameter is refused. Pages may send one. */
  readonly isStrict?: boolean
}

export interface RouterHooks {
  answer(arrived: RoutedRequest): Promise<Response>
  refuse(error: unknown, context: ConsoleContext): Response
}

type RouterEnv = { Bindings: ConsoleContext; Variables: { allow: readonly string[] } }
export type Router = (request: Request, context: ConsoleContext) => Promise<Response>

/**
 * Routes requests below `root`. A route without placeholders takes precedence. A HEAD is answered like a GET: the
 * listener leaves out the body, and cancels a file that would be generated.
 */
export function createRouter(
  root: string,
  routes: readonly OperationRoute[],
  { answer, refuse }: RouterHooks,
): Router {
  const app = new Hono<RouterEnv>({ getPath: pathAsSent })
  const sorted = routes.toSorted((left, right) => placesIn(left.path) - placesIn(right.path))
  const plain = new Set(routes.filter(({ path }) => !path.includes('{')).map(({ path }) => path))
  const isHidden = ({ path }: OperationRoute, asked: string) =>
    path.includes('{') && plain.has(asked.slice(root.length))
  for (const route of sorted) {
    app.on(route.method, `${root}${patternOf(route.path)}`, (c, next) => {
      const id = readId(route, c.req.param('id'))
      // The library passes a HEAD that must be refused to the GET route.
      const isMeant = c.req.method === route.method && !isHidden(route, c.req.path)
      if (id === undefined || !isMeant) return next()
      const request = c.req.raw
      const rest = restOf(`${root}${route.path}`, c.req.path)
      return answer({ route, id, rest, request, url: new URL(request.url), context: c.env })
    })
  }
  for (const [path, ofPath] of Map.groupBy(sorted, (route) => route.path)) {
    app.all(`${root}${patternOf(path)}`, async (c, next) => {
      const isHere = ofPath.some(
        (route) => readId(route, c.req.param('id')) !== undefined && !isHidden(route, c.req.path),
      )
      const methods = isHere ? ofPath.flatMap(methodsOf) : []
      c.set('allow', [...(c.get('allow') ?? []), ...methods])
      await next()
    })
  }
  app.notFound((c) => refuse(notFound(c.get('allow') ?? []), c.env))
  app.onError((error, c) => refuse(error, c.env))
  const withEffect = new Set(
    routes.filter(({ hasEffect }) => hasEffect).map(({ path }) => `${root}${path}`),
  )
  return async (request, context) => {
    const isRead = request.method === 'HEAD' && !withEffect.has(pathAsSent(request))
    return app.fetch(isRead ? asGet(request) : request, context)
  }
}

/** Without the body: nothing reads it. */
function asGet({ url, headers, signal }: Request): Request {
  return new Request(url, { method: 'GET', headers, signal })
}

function methodsOf({ method, hasEffect }: OperationRoute): readonly string[] {
  return method === 'GET' && !hasEffect ? ['GET', 'HEAD'] : [method]
}

export const noSuchAddress = 'This path does not exist.'

function notFound(methods: readonly string[]): ApiRefusal {
  if (methods.length === 0) return new ApiRefusal('not_found', noSuchAddress)
  const allow = [...new Set(methods)].join(', ')
  return new ApiRefusal('method_not_allowed', `This path accepts ${allow} only.`, {
    headers: { allow },
  })
}

/** The library would read `%6Beys` as `keys`. */
function pathAsSent(request: Request): string {
  return new URL(request.url).pathname
}

function placesIn(path: string): number {
  return path.split('{').length
}

function patternOf(path: string): string {
  return path.replace('{id}', ':id').replace('{rest}', ':rest{.*}')
}

/** A valid id in a path, decoded. */
const pathIdPattern = new RegExp(`^[${idCharacters}]{1,${idCharactersMax}}$`)

/** Schema of an id in the OpenAPI description. Values with other characters match no route. */
export const idInPath = {
  type: 'string',
  pattern: idPattern.source,
  minLength: 1,
  maxLength: idCharactersMax,
} as const

/** Ids of the catalogue may contain slashes, which arrive encoded. Undefined for an invalid id. */
function readId(route: OperationRoute, id: string | undefined): string | undefined {
  if (!route.path.includes('{id}')) return ''
  return id !== undefined && pathIdPattern.test(id) ? id : undefined
}

/** The rest of the path, not decoded. */
function restOf(pattern: string, path: string): string {
  const restAt = pattern.split('/').indexOf('{rest}')
  return restAt < 0 ? '' : `/${path.split('/').slice(restAt).join('/')}`
}
