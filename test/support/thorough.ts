/** How many to try: a few each time that the suite runs, all of them with THOROUGH=1. Each run draws others. */
export const thorough = ({ few, all }: { few: number; all: number }): number =>
  process.env.THOROUGH === '1' ? all : few;
