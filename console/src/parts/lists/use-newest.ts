import { useCallback, useLayoutEffect, useRef } from 'react'

/**
 * A stable function that calls the newest version, so that components that receive it do not render again. For event
 * handlers only, never during rendering.
 */
export function useNewest<Values extends unknown[], Result>(
  newest: (...values: Values) => Result,
): (...values: Values) => Result {
  const held = useRef(newest)
  useLayoutEffect(() => {
    held.current = newest
  })
  return useCallback((...values: Values) => held.current(...values), [])
}
