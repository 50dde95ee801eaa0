import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ReactNode, Ref } from 'react'

type Props = AnchorProps & { ref?: Ref<HTMLAnchorElement>; children?: ReactNode }

export const PageAnchor = createLink((props: Props) => <Anchor {...props} />)
