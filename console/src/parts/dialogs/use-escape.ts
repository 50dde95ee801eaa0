import { useEffect, useRef } from 'react'

type Layer = { readonly leave: () => void }

/** Open panels and dialogs, the topmost last. */
const layers: Layer[] = []

function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.isComposing) return
  // An open dropdown inside the layer closes first.
  const target = event.target instanceof Element ? event.target : undefined
  if (target?.getAttribute('data-mantine-stop-propagation') === 'true') return
  layers.at(-1)?.leave()
}

/** Escape closes only the topmost panel or dialog. */
export function useEscape(isOpen: boolean, leave: () => void): void {
  const latest = useRef(leave)
  useEffect(() => {
    latest.current = leave
  })
  useEffect(() => {
    if (!isOpen) return undefined
    const layer: Layer = { leave: () => latest.current() }
    if (layers.length === 0) window.addEventListener('keydown', onKey, { capture: true })
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length === 0) window.removeEventListener('keydown', onKey, { capture: true })
    }
  }, [isOpen])
}
