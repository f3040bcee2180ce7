/**
 * What is made is for its owner, and to be read by the group; the umask takes away more. What is there already stays as
 * it is.
 */
export const FILE_MODE = 0o640
export const DIRECTORY_MODE = 0o750
