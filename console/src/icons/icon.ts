import { createElement, type FC, type SVGProps } from 'react'

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** Width and height, in pixels. */
  readonly size?: number
  /** Width of the lines, in units of which the icon is 24 wide. */
  readonly stroke?: number
}

const lines = {
  fill: 'none',
  stroke: 'currentColor',
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

/**
 * An icon of lines with the colour of the text. Without a label, screen readers skip it.
 * @param path the data of an SVG path, in a square of 24 by 24
 */
export function lineIcon(name: string, path: string): FC<IconProps> {
  return ({ stroke = 2, ...rest }) => drawn(name, path, { ...lines, strokeWidth: stroke, ...rest })
}

/** The same as an area. */
export function areaIcon(name: string, path: string): FC<Omit<IconProps, 'stroke'>> {
  return (props) => drawn(name, path, { fill: 'currentColor', ...props })
}

function drawn(
  name: string,
  path: string,
  { size = 24, ...rest }: SVGProps<SVGSVGElement> & Pick<IconProps, 'size'>,
) {
  const frame = { width: size, height: size, viewBox: '0 0 24 24', 'data-icon': name }
  const isLabelled = rest['aria-label'] !== undefined
  return createElement(
    'svg',
    { ...frame, ...(!isLabelled && { 'aria-hidden': true }), ...rest },
    createElement('path', { d: path }),
  )
}
