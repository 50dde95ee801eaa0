import {
  type ComponentType,
  isValidElement,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

type Handler = (...values: unknown[]) => unknown

/**
 * A component that renders again only if something changes that it shows. A form renders for every key that the user
 * presses, with new handlers, lists and objects for all of its fields. Lists and objects are compared by their content.
 * A function whose name begins with `on` is an event handler, does not count, and always calls the newest version.
 * Everything else, such as an element or a function that is called during rendering, counts as changed if it is another
 * one.
 */
export function memoized<Props extends object>(
  Part: ComponentType<Props>,
): (props: Props) => ReactNode {
  return function Steady(props) {
    const handlers = useNewestHandlers(props)
    const shown = { ...props, ...handlers }
    const held = useRef<{ readonly shown: Props; readonly element: ReactNode }>(undefined)
    // React does not render an element again that is still the same one.
    if (held.current === undefined || !isSameShown(held.current.shown, shown)) {
      held.current = { shown, element: <Part {...shown} /> }
    }
    return held.current.element
  }
}

function isHandler(name: string, value: unknown): value is Handler {
  return typeof value === 'function' && /^on[A-Z]/.test(name)
}

function useNewestHandlers(props: object): Readonly<Record<string, Handler>> {
  const newest = useRef(props)
  useLayoutEffect(() => {
    newest.current = props
  })
  const [made] = useState(() => new Map<string, Handler>())
  const handlers: Record<string, Handler> = {}
  for (const [name, value] of Object.entries(props)) {
    if (!isHandler(name, value)) continue
    const handler = made.get(name) ?? newestOf(name, newest)
    made.set(name, handler)
    handlers[name] = handler
  }
  return handlers
}

function newestOf(name: string, newest: { readonly current: object }): Handler {
  return (...values) => {
    const handler: unknown = Reflect.get(newest.current, name)
    return isHandler(name, handler) ? handler(...values) : undefined
  }
}

/** The order counts too: some objects are shown as a list. */
function isSameShown(one: object, other: object): boolean {
  return isSameValue(Object.entries(one), Object.entries(other))
}

function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isSameValue(each, other[at]))
  }
  return isPlain(one) && isPlain(other) && isSameShown(one, other)
}

/** An element is not compared by its content: the handlers in it would be old ones. */
function isPlain(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !isValidElement(value)
  )
}
