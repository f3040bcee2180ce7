// Preloaded into a server's process: answers its parent what the process has used.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss() })
})
process.channel?.unref()
