import { NavLink, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { type MouseEventHandler, memo, type Ref } from 'react'

type Props = NavLinkProps & {
  ref?: Ref<HTMLAnchorElement>
  onClick?: MouseEventHandler<HTMLAnchorElement>
  href?: string
  'data-status'?: string
  /** Whether the open page belongs to the linked one. */
  isWithin?: boolean
}

/**
 * Each change of the search, such as an opened panel, gives every link new handlers. They do the same as long as the
 * address is the same, so the link is not rendered again.
 */
const Entry = memo(
  ({ isWithin = false, ...props }: Props) => (
    <NavLink
      {...props}
      {...(isWithin && { 'aria-current': 'true' })}
      active={isWithin || props['data-status'] === 'active'}
      py={7}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
    />
  ),
  (one, other) =>
    one.href === other.href &&
    one.label === other.label &&
    one.isWithin === other.isWithin &&
    one['data-status'] === other['data-status'],
)

export const PageLink = createLink(Entry)
