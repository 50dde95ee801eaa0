import { useCallback, useLayoutEffect, useRef } from 'react'

/**
 * One function for life that calls the newest one, so that what gets it need not be drawn again. For what people do,
 * never for what is called while drawing.
 */
export function useNewest<Values extends unknown[]>(
  newest: (...values: Values) => void,
): (...values: Values) => void {
  const held = useRef(newest)
  useLayoutEffect(() => {
    held.current = newest
  })
  return useCallback((...values: Values) => held.current(...values), [])
}
