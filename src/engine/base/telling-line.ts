/** Lines with the reason of a failure. The first lines of npm are codes, and paths in npm's code. */
const failureLines = [
  /\b\w*error(?: \[\w+\])?: /i,
  /^npm (?:error|ERR!) (?!(?:code|syscall|path|errno|command|signal) |A complete log)\S+ +\S/,
];

/** Lines of Node, npm and stack traces after the reason. */
const trailingLines = [
  /^at\s/,
  /^Node\.js v\d/,
  /A complete log of this run/,
  /^npm (?:error|notice|warn)\s*$/,
  /^[{}^~]+$/,
];

/** Finds the line of stderr that best explains the end of a program. */
export function tellingLine(stderr: string): string | undefined {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const error = lines.find((line) => failureLines.some((shape) => shape.test(line)));
  return error ?? lines.findLast((line) => !trailingLines.some((shape) => shape.test(line)));
}
