import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ReactNode, Ref } from 'react'

type Props = AnchorProps & { ref?: Ref<HTMLAnchorElement>; children?: ReactNode }

/** A link to a page of the console, as the component library draws links. */
export const PageAnchor = createLink((props: Props) => <Anchor {...props} />)
