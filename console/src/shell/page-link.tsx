import { NavLink, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { MouseEventHandler, Ref } from 'react'

type Props = NavLinkProps & {
  ref?: Ref<HTMLAnchorElement>
  onClick?: MouseEventHandler<HTMLAnchorElement>
  'data-status'?: string
}

export const PageLink = createLink((props: Props) => (
  <NavLink
    {...props}
    active={props['data-status'] === 'active'}
    py={7}
    style={{ borderRadius: 'var(--mantine-radius-md)' }}
  />
))
