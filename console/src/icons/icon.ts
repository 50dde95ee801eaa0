import { icons } from '@iconify-json/tabler/icons.json'
import { createElement, type FC, type SVGProps } from 'react'

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** Width and height, in pixels. */
  readonly size?: number
  /** Width of the lines, in units of which the icon is 24 wide. An icon without lines ignores this. */
  readonly stroke?: number
}

const lines = {
  fill: 'none',
  stroke: 'currentColor',
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

/** An icon with the colour of the text: lines, or an area. Without a label, screen readers skip it. */
export function icon(name: keyof typeof icons): FC<IconProps> {
  const paths = pathsIn(icons[name].body)
  const isArea = name.endsWith('-filled')
  return ({ size = 24, stroke = 2, ...rest }) => {
    const frame = { width: size, height: size, viewBox: '0 0 24 24', 'data-icon': name }
    const look = isArea ? { fill: 'currentColor' } : { ...lines, strokeWidth: stroke }
    const hidden = rest['aria-label'] === undefined && { 'aria-hidden': true }
    return createElement('svg', { ...frame, ...look, ...hidden, ...rest }, ...paths)
  }
}

/** The icon's paths alone, because its markup also sets the width of the lines. The build refuses other shapes. */
function pathsIn(body: string) {
  return [...body.matchAll(/ d="([^"]+)"/g)].map(([, d]) => createElement('path', { d }))
}
